#define _XOPEN_SOURCE 700
#include "tests/support/program.h"

#include "tests/support/check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static char scratch[] = "/tmp/berth-program-XXXXXX";
static char text[1 << 16];

int program_set_up(void **state) {
    (void)state;
    return getenv("BERTH_PROGRAM") != NULL && mkdtemp(scratch) != NULL ? 0 : -1;
}

int program_tear_down(void **state) {
    (void)state;
    return program_run("rm -r $S");
}

int program_run(const char *command) {
    char line[4096];
    snprintf(line, sizeof line, "B=$BERTH_PROGRAM; P=instances/problems; S=%s; { %s; } 2>&1", scratch, command);
    FILE *pipe = popen(line, "r");
    assert_non_null(pipe);
    size_t n = fread(text, 1, sizeof text - 1, pipe);
    text[n] = '\0';
    int status = pclose(pipe);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

const char *program_text(void) {
    return text;
}

void program_expect(const char *command, int code, const char *part) {
    int got = program_run(command);
    if (got != code || strstr(text, part) == NULL) {
        fail_msg("%s: exit %d, expected %d; \"%s\" expected in:\n%.3000s", command, got, code, part, text);
    }
}
