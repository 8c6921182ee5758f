/* The program as its users meet it: shell commands from the top folder, with a scratch folder for the files they make.
 * In a command $B is the program, $S the scratch folder, $P that of the shipped problems. */
#ifndef BERTH_TESTS_PROGRAM_H
#define BERTH_TESTS_PROGRAM_H

/* For cmocka_run_group_tests: makes the scratch folder (needs BERTH_PROGRAM), removes it. */
int program_set_up(void **state);
int program_tear_down(void **state);

/* Runs a command; returns its exit code, or 128 + the signal that killed it. */
int program_run(const char *command);
/* What the last command printed, on standard output and standard error. */
const char *program_text(void);
/* Runs it and asserts its exit code and a part of what it prints. */
void program_expect(const char *command, int code, const char *part);

#endif
