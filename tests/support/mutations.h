/* A result with one number, flag, word or null changed at a time. */
#ifndef BERTH_TESTS_MUTATIONS_H
#define BERTH_TESTS_MUTATIONS_H

#include <stdbool.h>

#include <jansson.h>

typedef struct mutations {
    json_t *result;
    /* Does anybody see that the result is not what it was? */
    bool (*is_noticed)(void *user, json_t *result);
    /* May the field become that unnoticed? Elements of lists have the index "#": /jobs/#/m. A word becomes one that
     * nobody knows, and `to` is NAN. */
    bool (*is_free)(void *user, const char *field, bool was_null, double to);
    void *user;
} mutations;

/* Changes every field, of fields of one name a few, back again after each; prints what was not noticed. Asserts that
 * nothing was, that the whole result is not noticed, and that there were so many changes. */
void mutations_expect_noticed(const mutations *m, const char *what, int least_changes);

#endif
