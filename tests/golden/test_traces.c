/* The commands of docs/traces.md, as they stand there: import, run, and a check of the result. BERTH_PROGRAM names the
 * program; runs from the top folder. */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/check.h"
#include "tests/support/own_folder.h"

#include <stdlib.h>
#include <string.h>

#include <berth_io.h>

#include "base/alloc.h"
#include "formats/bytes.h"

/* Appends `from`, with the program's path for build/berth and our folder for build/. */
static void add_command(char *to, size_t room, const char *from) {
    static const char program[] = "build/berth ", build[] = "build/";
    to[0] = '\0';
    for (size_t at = 0; *from != '\0' && *from != '\n';) {
        if (strncmp(from, program, sizeof program - 1) == 0) {
            at += (size_t)snprintf(to + at, room - at, "\"$BERTH_PROGRAM\" ");
            from += sizeof program - 1;
        } else if (strncmp(from, build, sizeof build - 1) == 0) {
            at += (size_t)snprintf(to + at, room - at, "%s", path_of(""));
            from += sizeof build - 1;
        } else {
            to[at++] = *from++;
            to[at] = '\0';
        }
        assert_true(at + 400 < room);
    }
}

static void run_quietly(const char *command) {
    char shell[2048];
    snprintf(shell, sizeof shell, "{ %s; } >%s 2>&1 || { cat %s >&2; false; }", command, path_of("log"),
             path_of("log"));
    if (system(shell) != 0) {
        fail_msg("failed: %s", command);
    }
}

/* The result of a run is behind -o, the instance behind "run". */
static void check_result(const char *command) {
    char instance[400], result[400], check[1024];
    const char *run = strstr(command, " run "), *out = strstr(command, " -o ");
    assert_true(run != NULL && out != NULL);
    assert_int_equal(sscanf(run, " run %399s", instance), 1);
    assert_int_equal(sscanf(out, " -o %399s", result), 1);
    snprintf(check, sizeof check, "\"$BERTH_PROGRAM\" check %s %s", instance, result);
    run_quietly(check);
}

static void test_commands_of_the_docs(void **state) {
    (void)state;
    char *docs = NULL;
    size_t length = 0, n_imports = 0, n_runs = 0;
    berth_error error;
    char command[2048];
    assert_non_null(getenv("BERTH_PROGRAM"));
    assert_ok(berth__bytes_read("docs/traces.md", BERTH__MAX_INPUT, &docs, &length, &error), error);
    for (const char *line = docs; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "    build/berth ", 16) != 0) {
            continue;
        }
        add_command(command, sizeof command, line + 4);
        run_quietly(command);
        if (strstr(command, " import ") != NULL) {
            n_imports++;
        } else {
            n_runs++;
            check_result(command);
        }
    }
    berth__free(docs);
    assert_int_equal(n_imports, 4);
    assert_int_equal(n_runs, 4);
}

/* The row of a kind in a table that begins at `table`, up to its end; NULL: there is none. */
static const char *row_of(const char *table, const char *kind, size_t *length) {
    char row[64];
    snprintf(row, sizeof row, "\n| `%s` |", kind);
    const char *found = strstr(table, row);
    *length = found != NULL ? strcspn(found + 1, "\n") + 1 : 0;
    return found;
}

/* Is there every file of instances/ that a row names, and does it name a public one? */
static void check_public_files(const char *row, size_t length) {
    char text[1024];
    snprintf(text, sizeof text, "%.*s", (int)length, row);
    assert_non_null(strstr(text, "github.com/"));
    for (const char *at = strstr(text, "`instances/"); at != NULL; at = strstr(at + 1, "`instances/")) {
        char command[512];
        snprintf(command, sizeof command, "test -f '%.*s'", (int)strcspn(at + 1, "`"), at + 1);
        run_quietly(command);
    }
}

/* Help and docs name every kind, its public files and what becomes of them. */
static void test_every_kind_is_told(void **state) {
    (void)state;
    char *docs = NULL, *help = NULL;
    size_t length = 0;
    berth_error error;
    run_quietly("\"$BERTH_PROGRAM\" help import");
    help = get_file("log");
    assert_ok(berth__bytes_read("docs/traces.md", BERTH__MAX_INPUT, &docs, &length, &error), error);
    for (const char *const *kind = berth_trace_kinds(); *kind != NULL; kind++) {
        char line[128];
        snprintf(line, sizeof line, "  %-13s%s ", *kind, berth_trace_files(*kind));
        const char *row = row_of(docs, *kind, &length);
        const char *columns = strstr(docs, "\n## What each column becomes\n");
        if (row == NULL || columns == NULL || row_of(columns, *kind, &length) == NULL || strstr(help, line) == NULL) {
            fail_msg("%s is not told, or its files are not", *kind);
        }
        row = row_of(docs, *kind, &length);
        assert_true(row < columns);
        check_public_files(row, length);
    }
    berth__free(docs);
    berth__free(help);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_commands_of_the_docs),
        cmocka_unit_test(test_every_kind_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
