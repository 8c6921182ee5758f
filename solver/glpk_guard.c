#include "solver/glpk_guard.h"

#include <glpk.h>

#include <setjmp.h>
#include <stdio.h>

typedef struct guard {
    jmp_buf escape;
    void *user;
    void (*listen)(void *user, const char *piece);
    char *message; /* what GLPK said last */
} guard;

static void escape(void *info) {
    guard *g = info;
    longjmp(g->escape, 1);
}

/* Keeps what GLPK would print from the terminal; non-zero tells it so. */
static int swallow(void *info, const char *text) {
    guard *g = info;
    if (g->listen != NULL) {
        g->listen(g->user, text);
    }
    /* Its last words on an error only say where in its own code it happened. */
    if (!(glp_at_error() && g->message[0] != '\0')) {
        snprintf(g->message, BERTH__GLPK_MESSAGE, "%s", glp_at_error() ? text : "");
    }
    return 1;
}

static int survives(guard *g, void (*work)(void *user)) {
    if (setjmp(g->escape) != 0) {
        return 0;
    }
    work(g->user);
    return 1;
}

berth__glpk_guarded berth__glpk_guard(void (*work)(void *user), void *user,
                                      void (*listen)(void *user, const char *piece),
                                      char message[BERTH__GLPK_MESSAGE]) {
    guard g = {.user = user, .listen = listen, .message = message};
    message[0] = '\0';
    int environment = glp_init_env();
    if (environment > 1) {
        return BERTH__GLPK_NO_MEMORY;
    }
    int terminal = glp_term_out(listen != NULL ? GLP_ON : GLP_OFF);
    glp_term_hook(swallow, &g);
    glp_error_hook(escape, &g);
    int survived = survives(&g, work);
    if (!survived || environment == 0) {
        glp_free_env();
    } else {
        glp_error_hook(NULL, NULL);
        glp_term_hook(NULL, NULL);
        glp_term_out(terminal);
    }
    return survived ? BERTH__GLPK_DONE : BERTH__GLPK_DIED;
}
