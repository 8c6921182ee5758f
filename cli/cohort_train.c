#include "cli/cohort_train.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_NAMES = 4 };

const char *cli_train_option_given(const cli_verb *verb, const cli_words *words) {
    static const char *const names[] = {"exploration", "exploration-decay", "exploration-min",  "alpha",
                                        "clip",        "cut-off",           "blacklist-rounds", "fairness",
                                        "percentile",  "pacer-delta",       "pacer-step",       "overcommit"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (cli_given(verb, words, names[k])) {
            return names[k];
        }
    }
    return NULL;
}

/* ---- rounds ----------------------------------------------------------------------------------------------------- */

typedef struct printer {
    bool json;
    size_t rounds;
} printer;

static const char *name_of(const berth_selector *selector, size_t client, char number[32]) {
    berth_selector_client about = {.id = NULL};
    snprintf(number, 32, "%zu", client);
    (void)berth_selector_present_client(selector, client, &about, NULL);
    return about.id != NULL ? about.id : number;
}

/* A line of JSON for each round. */
static void print_json(const berth_selector *selector, const berth_selection *s) {
    static const char *const kinds[] = {"exploited", "explored", "recalled"};
    char number[32];
    printf("{\"round\": %zu, \"available\": %zu, \"blacklisted\": %zu, \"exploration\": %.17g, \"percentile\": %.17g, ",
           s->round, s->n_available, s->n_blacklisted, s->exploration, s->percentile);
    if (isfinite(s->preferred_duration_s)) {
        printf("\"preferred_duration_s\": %.17g", s->preferred_duration_s);
    } else {
        fputs("\"preferred_duration_s\": null", stdout);
    }
    for (int kind = 0; kind <= BERTH_CHOICE_RECALL; kind++) {
        const char *between = "";
        printf(", \"%s\": [", kinds[kind]);
        for (size_t k = 0; k < s->n; k++) {
            if (s->choices[k].kind == (berth_choice_kind)kind) {
                fputs(between, stdout);
                cli_print_json_string(name_of(selector, s->choices[k].client, number));
                between = ", ";
            }
        }
        putchar(']');
    }
    fputs("}\n", stdout);
}

static void print_row(const berth_selector *selector, const berth_selection *s, bool is_first) {
    char number[32];
    if (is_first) {
        fputs("  round  participants  exploited  explored  recalled  preferred (s)  clients\n", stdout);
    }
    printf("  %5zu  %12zu  %9zu  %8zu  %8zu  %13s  ", s->round, s->n, s->n_exploited, s->n_explored, s->n_recalled,
           cli_number(number, isfinite(s->preferred_duration_s) ? s->preferred_duration_s : (double)NAN));
    for (size_t k = 0; k < s->n && k < FIRST_NAMES; k++) {
        fputs(k > 0 ? ", " : "", stdout);
        cli_print_text(name_of(selector, s->choices[k].client, number), 0);
    }
    fputs(s->n > FIRST_NAMES ? ", ...\n" : "\n", stdout);
}

static bool print_selection(void *user, const berth_selector *selector, const berth_selection *selection) {
    printer *to = user;
    if (to->json) {
        print_json(selector, selection);
    } else {
        print_row(selector, selection, to->rounds == 0);
    }
    to->rounds++;
    return true;
}

static void print_state(const berth_selector *selector) {
    berth_selector_state state;
    berth_selector_present(selector, &state);
    cli_row("rounds", "%zu", state.round);
    cli_row("clients", "%zu, of which %zu have reported and %zu are blacklisted", state.n_clients, state.n_reported,
            state.n_blacklisted);
    cli_row("next round", "exploration %.4g, preferred duration at percentile %.4g", state.exploration,
            state.percentile);
}

/* ---- the verb --------------------------------------------------------------------------------------------------- */

static int replay(const cli_train_settings *settings, const cli_common *common, const char *path,
                  berth_selector *selector) {
    berth_error error = {0};
    berth_hooks hooks;
    cli_hooks state;
    printer to = {.json = common->json};
    cli_hooks_start(&state, "cohort", common->quiet, &hooks);
    cli_catch_signals();
    berth_status status = berth_selector_replay(selector, path, &hooks, print_selection, &to, &error);
    cli_hooks_stop(&state);
    if (status != BERTH_OK) {
        cli_finish_output("cohort", CLI_DONE);
        return cli_fail_status("cohort", CLI_READING, path, &error);
    }
    if (!common->json) {
        fputs(to.rounds > 0 ? "\n" : "", stdout);
        print_state(selector);
    }
    if (settings->snapshot != NULL && berth_selector_write(selector, settings->snapshot, &error) != BERTH_OK) {
        return cli_fail_status("cohort", CLI_WRITING, settings->snapshot, &error);
    }
    return cli_finish_output("cohort", CLI_DONE);
}

static int check_files(const cli_train_settings *settings, const char *path) {
    if (path == NULL) {
        return cli_usage("cohort", "train needs LOG");
    }
    if (settings->restore != NULL && strcmp(settings->restore, "-") == 0 && strcmp(path, "-") == 0) {
        return cli_usage("cohort", "only one file can be standard input");
    }
    if (settings->snapshot != NULL && strcmp(settings->snapshot, "-") == 0) {
        return cli_usage("cohort", "--snapshot takes a file: standard output has the rounds");
    }
    return cli_same_file(settings->snapshot, path)
               ? cli_usage("cohort", "--snapshot would replace the input '%s'", path)
               : cli_check_output("cohort", settings->snapshot);
}

int cli_cohort_train(const cli_train_settings *settings, const cli_common *common, const char *path) {
    berth_error error = {0};
    berth_selector *selector = NULL;
    int code = check_files(settings, path);
    if (code != CLI_DONE) {
        return code;
    }
    if (settings->restore != NULL && berth_selector_read(settings->restore, &selector, &error) != BERTH_OK) {
        return cli_fail_status("cohort", CLI_READING, settings->restore, &error);
    }
    if (selector == NULL && berth_selector_new(&settings->options, &selector, &error) != BERTH_OK) {
        return cli_fail_status("cohort", CLI_WORKING, NULL, &error);
    }
    code = replay(settings, common, path, selector);
    berth_selector_free(selector);
    return code;
}
