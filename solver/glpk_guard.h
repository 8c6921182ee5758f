/* Calls into GLPK that neither print nor end the process. Part of libberth_glpk.
 *
 * Notes on GLPK (5.0)
 *   - Errors print and abort the process unless the error hook jumps away, after which every object of the thread is
 *     dead; objects must be freed on the thread that made them. So no GLPK object may outlive a guarded call, and an
 *     environment that a call has made, or that an error has killed, is freed before it returns. (GLPK objects that
 *     the caller's own code keeps on that thread die with it in the second case.)
 *   - An error switches terminal output on before it prints: only the terminal hook keeps it silent. */
#ifndef BERTH_SOLVER_GLPK_GUARD_H
#define BERTH_SOLVER_GLPK_GUARD_H

enum { BERTH__GLPK_MESSAGE = 160 };

typedef enum berth__glpk_guarded {
    BERTH__GLPK_DONE,
    BERTH__GLPK_DIED, /* of an error; message has its first words */
    BERTH__GLPK_NO_MEMORY
} berth__glpk_guarded;

/* Calls work(user). `listen` gets what GLPK would print, in pieces; NULL: nothing but errors is made up at all. */
berth__glpk_guarded berth__glpk_guard(void (*work)(void *user), void *user,
                                      void (*listen)(void *user, const char *piece), char message[BERTH__GLPK_MESSAGE]);

#endif
