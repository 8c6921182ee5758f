/* Feeds each file to the fuzz target it is linked with. usage: PROGRAM FILE... */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

/* A block of exactly the input's size lets a sanitizer see every step beyond it. */
static int replay(const char *path) {
    FILE *file = fopen(path, "rb");
    long size = file != NULL && fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    uint8_t *bytes = size >= 0 ? malloc(size > 0 ? (size_t)size : 1) : NULL;
    int code = 1;
    if (bytes != NULL) {
        rewind(file);
        code = fread(bytes, 1, (size_t)size, file) == (size_t)size ? LLVMFuzzerTestOneInput(bytes, (size_t)size) : 1;
    }
    if (code != 0) {
        fprintf(stderr, "cannot replay %s\n", path);
    }
    free(bytes);
    if (file != NULL) {
        fclose(file);
    }
    return code;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        if (replay(argv[i]) != 0) {
            return 1;
        }
    }
    printf("%s: %d inputs replayed\n", argv[0], argc - 1);
    return 0;
}
