/* strdup, stat and access are POSIX. */
#define _XOPEN_SOURCE 700

#include "cli/cli.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LABEL_WIDTH = 22 };

void cli_open_standard_files(void) {
    for (int fd = 0; fd <= 2; fd++) {
        /* Opened the wrong way round, so that using it is an error as it would be on the closed one. */
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) {
            _exit(CLI_INTERNAL);
        }
    }
}

int cli_finish_output(const char *verb, int code) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        return code;
    }
    return cli_fail(verb, CLI_INTERNAL, "standard output: %s", errno != 0 ? strerror(errno) : "cannot write");
}

/* 0, or why a new file cannot take that name. */
static int creation_problem(const char *path) {
    struct stat parent;
    char *copy = strdup(path);
    if (copy == NULL) {
        return ENOMEM;
    }
    const char *folder = dirname(copy);
    int problem = 0;
    if (stat(folder, &parent) != 0 || access(folder, W_OK | X_OK) != 0) {
        problem = errno;
    } else if (!S_ISDIR(parent.st_mode)) {
        problem = ENOTDIR;
    }
    free(copy);
    return problem;
}

int cli_check_output(const char *verb, const char *path) {
    struct stat there;
    int problem = 0;
    if (path == NULL || strcmp(path, "-") == 0) {
        return CLI_DONE;
    }
    bool exists = stat(path, &there) == 0;
    if (!exists && errno != ENOENT) {
        problem = errno;
    } else if (exists ? S_ISDIR(there.st_mode) : path[strlen(path) - 1] == '/') {
        problem = EISDIR;
    } else if (exists && !S_ISREG(there.st_mode)) { /* a device or a pipe is written to, a file is replaced */
        problem = access(path, W_OK) == 0 ? 0 : errno;
    } else {
        problem = creation_problem(path);
    }
    return problem == 0 ? CLI_DONE : cli_fail(verb, CLI_INTERNAL, "%s: cannot write: %s", path, strerror(problem));
}

const char *cli_json_path(const cli_common *common) {
    return common->output != NULL ? common->output : common->json ? "-" : NULL;
}

bool cli_prints_table(const cli_common *common) {
    return !common->json && (common->output == NULL || strcmp(common->output, "-") != 0);
}

char *cli_certificate_beside(const char *result) {
    static const char suffix[] = ".certificate";
    char *path = malloc(strlen(result) + sizeof suffix);
    if (path != NULL) {
        strcpy(path, result);
        strcat(path, suffix);
    }
    return path;
}

void cli_row(const char *label, const char *format, ...) {
    va_list arguments;
    printf("%-*s", LABEL_WIDTH, label);
    va_start(arguments, format);
    cli_print_safely(stdout, format, arguments);
    va_end(arguments);
    putchar('\n');
}

const char *cli_number(char *buffer, double value) {
    if (isnan(value)) {
        strcpy(buffer, "-");
    } else {
        snprintf(buffer, 32, "%.6g", value);
    }
    return buffer;
}

const char *cli_duration(char *buffer, double seconds) {
    if (isnan(seconds)) {
        strcpy(buffer, "-");
    } else if (seconds < 1e-3) {
        snprintf(buffer, 32, "%.3g us", 1e6 * seconds);
    } else if (seconds < 1) {
        snprintf(buffer, 32, "%.3g ms", 1e3 * seconds);
    } else {
        snprintf(buffer, 32, "%.4g s", seconds);
    }
    return buffer;
}

/* Returns the number of characters. */
static int put_safely(FILE *to, const char *text) {
    int n = 0;
    for (bool printable; *text != '\0'; n++) {
        const size_t length = berth_next_character(text, &printable, NULL);
        fwrite(printable ? text : "?", 1, printable ? length : 1, to);
        text += length;
    }
    return n;
}

void cli_print_safely(FILE *to, const char *format, va_list arguments) {
    char few[1024], *text = few;
    va_list again;
    va_copy(again, arguments);
    const int length = vsnprintf(few, sizeof few, format, arguments);
    if (length >= (int)sizeof few && (text = malloc((size_t)length + 1)) != NULL) {
        vsnprintf(text, (size_t)length + 1, format, again);
    }
    va_end(again);
    put_safely(to, text != NULL ? text : few); /* short of memory the beginning must do */
    if (text != few) {
        free(text);
    }
}

void cli_print_text(const char *text, int width) {
    width -= put_safely(stdout, text);
    printf("%*s", width > 0 ? width : 0, "");
}

void cli_print_json_string(const char *text) {
    putchar('"');
    while (*text != '\0') {
        bool printable;
        uint32_t code;
        const size_t length = berth_next_character(text, &printable, &code);
        if (!printable && code > 0xffff) {
            printf("\\u%04x\\u%04x", (unsigned)(0xd7c0 + (code >> 10)), (unsigned)(0xdc00 + (code & 0x3ff)));
        } else if (!printable) {
            printf("\\u%04x", (unsigned)code);
        } else {
            printf(*text == '"' || *text == '\\' ? "\\%.*s" : "%.*s", (int)length, text);
        }
        text += length;
    }
    putchar('"');
}
