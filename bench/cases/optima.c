#include "bench/cases/optima.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "bench/case.h"

static bool add_line(bench_optima *optima, size_t *capacity, const char *line) {
    bench_optimum read;
    if (sscanf(line, "%127[^,],%d,%23[^,],%lf", read.file, &read.number, read.class, &read.optimum) != 4) {
        return false;
    }
    if (optima->n == *capacity) {
        size_t room = 2 * *capacity + 16;
        bench_optimum *grown = berth__realloc(optima->at, room, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        optima->at = grown;
        *capacity = room;
    }
    optima->at[optima->n++] = read;
    return true;
}

static bool read_lines(FILE *file, bench_optima *optima, char *note) {
    char line[512];
    size_t capacity = 0;
    for (int number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        if (number > 1 && line[0] != '\n' && !add_line(optima, &capacity, line)) {
            snprintf(note, BENCH_NOTE, "optima.csv:%d: expected file,number,class,optimum", number);
            return false;
        }
    }
    return true;
}

bool bench_optima_read(const char *folder, bench_optima **out, char *note) {
    char path[1024];
    *out = NULL;
    snprintf(path, sizeof path, "%s/optima.csv", folder);
    FILE *file = fopen(path, "r");
    bench_optima *optima = BERTH__NEW_ARRAY(bench_optima, 1);
    bool complete = file != NULL && optima != NULL;
    if (complete) {
        complete = read_lines(file, optima, note);
    } else {
        snprintf(note, BENCH_NOTE, "cannot read %.150s", path);
    }
    if (file != NULL) {
        fclose(file);
    }
    if (complete) {
        *out = optima;
    } else {
        bench_optima_free(optima);
    }
    return complete;
}

void bench_optima_free(bench_optima *optima) {
    if (optima != NULL) {
        berth__free(optima->at);
        berth__free(optima);
    }
}
