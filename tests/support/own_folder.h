/* A temporary folder of a test program's own, with text files by name. */
#ifndef BERTH_TESTS_OWN_FOLDER_H
#define BERTH_TESTS_OWN_FOLDER_H

/* For cmocka_run_group_tests: made at the start, removed with all that is in it. */
int make_folder(void **state);
int remove_folder(void **state);

/* The path of a file in it; the last four stay valid. */
const char *path_of(const char *name);
void put_file(const char *name, const char *text);
/* The text of a file; berth__free it. */
char *get_file(const char *name);
/* Asserts that the file follows the schema of a format. */
void expect_schema(const char *format, const char *name);

#endif
