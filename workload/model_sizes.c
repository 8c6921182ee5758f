#include "workload/model_sizes.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

/* Millions of parameters as the models' publications or their usual implementations have them, times 4 bytes. Models
 * whose size depends on the data (LM, Recommendation, NCF) are those of the traces' own training scripts, in round
 * figures. */
static const struct {
    const char *name;
    double million_parameters;
} sizes[] = {
    {"alexnet", 61.1},    {"vgg11", 132.9},     {"vgg16", 138.4},    {"vgg19", 143.7},    {"googlenet", 6.6},
    {"inception3", 23.8}, {"inception4", 42.7}, {"resnet18", 11.7},  {"resnet50", 25.6},  {"resnet101", 44.5},
    {"resnet152", 60.2},  {"shufflenet", 2.3},  {"bert", 110},       {"gpt2", 124},       {"dqn", 1.7},
    {"a3c", 0.6},         {"a2c", 0.6},         {"transformer", 65}, {"lm", 28},          {"recommendation", 20},
    {"cyclegan", 28.3},   {"yolov3", 61.9},     {"ncf", 3},          {"deepspeech2", 38}, {"cifar10", 11.2},
    {"imagenet", 25.6},
};

double berth__model_size_mb(const char *name) {
    char plain[32];
    size_t n = 0;
    for (const char *c = name; *c != '\0' && *c != '('; c++) {
        if (strchr("-_ ", *c) != NULL) {
            continue;
        }
        if (n + 1 >= sizeof plain) {
            return (double)NAN;
        }
        static const char upper[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ", lower[] = "abcdefghijklmnopqrstuvwxyz";
        const char *letter = strchr(upper, *c);
        plain[n] = *c;
        if (letter != NULL) {
            plain[n] = lower[letter - upper];
        }
        n++;
    }
    plain[n] = '\0';
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        if (strcmp(plain, sizes[i].name) == 0) {
            return 4 * sizes[i].million_parameters;
        }
    }
    return (double)NAN;
}
