/* What the tests of plots and pages draw: runs, also of an instance all whose names do harm where they are taken for
 * markup or commands; a renderer that draws nothing. */
#ifndef BERTH_TESTS_PLOT_CASE_H
#define BERTH_TESTS_PLOT_CASE_H

#include <berth_io.h>

/* Quotes, backquotes, backslashes, line ends, markup, formats, marks of gnuplot's enhanced text, a direction override
 * and characters beyond ASCII. */
extern const char hostile_name[];

/* Three machines and five jobs over 12 slots, every name hostile. These never fail. */
berth_instance *hostile_instance(void);
berth_instance *plain_instance(size_t machines, size_t jobs, int slots, uint64_t seed);
berth_run *run_of(const berth_instance *instance, const char *policy, berth_bound bound);

/* Gives `picture` for every script; counts. `fail_at`: the number of the call that fails, from 1; 0: none. */
typedef struct fake_renderer {
    const char *picture;
    size_t length;
    int calls, fail_at;
} fake_renderer;
berth_renderer renderer_of(fake_renderer *fake);

#endif
