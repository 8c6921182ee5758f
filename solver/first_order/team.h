/* Threads that take parts of a piece of work and sleep between pieces.
 *
 * Why not OpenMP: an iteration has thousands of pieces of less than a millisecond, and between them OpenMP's threads
 * spin. On a machine that has other work to do that made the iteration ten times slower; nothing but the environment
 * can tell gcc's OpenMP to wait otherwise. Here a thread looks for work for a few microseconds and then sleeps. */
#ifndef BERTH_SOLVER_FIRST_ORDER_TEAM_H
#define BERTH_SOLVER_FIRST_ORDER_TEAM_H

typedef struct berth__team berth__team;

/* One part, 0 <= part < parts. Parts run in any order and at the same time. */
typedef void berth__team_work(void *user, int part, int parts);

/* Of `threads` >= 1, the caller's among them; fewer if the system gives no more. NULL: out of memory. */
berth__team *berth__team_new(int threads);
void berth__team_free(berth__team *team);

/* Returns when all parts are done. What was written before is seen by the work, and the other way round. */
void berth__team_run(berth__team *team, berth__team_work *work, void *user, int parts);

/* The same in as many parts as make sense for work on n items that are independent of each other. */
void berth__team_run_items(berth__team *team, berth__team_work *work, void *user, int n);
/* Where part `part` of n items begins. */
static inline int berth__team_begin(int n, int part, int parts) {
    return (int)((long long)n * part / parts);
}

#endif
