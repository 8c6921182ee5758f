#define _POSIX_C_SOURCE 200809L
#include "tests/support/own_folder.h"

#include "formats/bytes.h"
#include "tests/support/check.h"
#include "tests/support/schema_check.h"

#include <berth_io.h>

#include <dirent.h>
#include <stdlib.h>
#include <unistd.h>

static char folder[] = "/tmp/berth-tests-XXXXXX";

const char *path_of(const char *name) {
    static char paths[4][320];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

int make_folder(void **state) {
    (void)state;
    return mkdtemp(folder) == NULL ? -1 : 0;
}

int remove_folder(void **state) {
    (void)state;
    DIR *listing = opendir(folder);
    assert_non_null(listing);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        unlink(path_of(entry->d_name)); /* fails for . and .. */
    }
    closedir(listing);
    return rmdir(folder);
}

void put_file(const char *name, const char *text) {
    /* A new file: some file systems write one that is cut off and filled again to the disk when it is closed. */
    const char *path = path_of(name);
    unlink(path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

char *get_file(const char *name) {
    berth_error error = {0};
    char *text = NULL;
    size_t length = 0;
    assert_ok(berth__bytes_read(path_of(name), BERTH__MAX_INPUT, &text, &length, &error), error);
    return text;
}

void expect_schema(const char *format, const char *name) {
    char problem[256];
    if (!schema_check_file(berth_schema(format), path_of(name), problem, sizeof problem)) {
        fail_msg("%s: %s", format, problem);
    }
}
