/* open_memstream */
#define _POSIX_C_SOURCE 200809L

#include "tests/support/scheduler_state.h"

#include "tests/support/check.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static void write_ledger(FILE *out, const berth_scheduler *s, size_t n_resources) {
    for (int t = berth_now(s); t < berth_horizon(s); t++) {
        for (int h = 0; h < (int)berth_machine_count(s); h++) {
            for (int r = 0; r < (int)n_resources; r++) {
                fprintf(out, "%d %d %d: %a at %a\n", t, h, r, berth_used(s, t, h, r), berth_price(s, t, h, r));
            }
        }
    }
}

static void write_plan(FILE *out, berth_scheduler *s, uint64_t number) {
    berth_error error;
    berth_decision *plan = NULL;
    assert_ok(berth_present_plan(s, number, &plan, &error), error);
    for (size_t k = 0; k < plan->n_slots; k++) {
        const berth_slot_plan *slot = &plan->slots[k];
        fprintf(out, "  %d %d %a:", slot->slot, (int)slot->locality, slot->samples);
        for (size_t i = 0; i < slot->n_placements; i++) {
            fprintf(out, " %d %d %d", slot->placements[i].machine, slot->placements[i].workers, slot->placements[i].ps);
        }
        fprintf(out, "\n");
    }
    berth_decision_free(plan);
}

static void write_rest(FILE *out, berth_scheduler *s, size_t n_resources) {
    fprintf(out, "now %d, horizon %d\n", berth_now(s), berth_horizon(s));
    for (int h = 0; h < (int)berth_machine_count(s); h++) {
        berth_machine_info m = {0};
        assert_int_equal(berth_machine(s, h, &m), BERTH_OK);
        fprintf(out, "machine %s %d until %d:", m.name, (int)m.state, m.held_until);
        for (size_t r = 0; r < n_resources; r++) {
            fprintf(out, " %a", m.capacity[r]);
        }
        fprintf(out, "\n");
    }
    for (size_t i = 0; i < berth_live_count(s); i++) {
        berth_job_info j = {0};
        assert_int_equal(berth_live_job(s, i, &j), BERTH_OK);
        fprintf(out, "job %" PRIu64 " of %" PRIu64 " %s %d: %d %d %d, %a of %a\n", j.number, j.gang, j.id, (int)j.state,
                j.arrival_slot, j.promised_slot, j.completion_slot, j.samples_left, j.samples);
        write_plan(out, s, j.number);
    }
    berth_statistics c = {0};
    assert_int_equal(berth_scheduler_statistics(s, &c), BERTH_OK);
    const uint64_t counts[] = {c.submitted, c.admitted, c.rejected,  c.proposed, c.abandoned, c.lapsed, c.completed,
                               c.finished,  c.lost,     c.cancelled, c.moved,    c.delayed,   c.live};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        fprintf(out, "%" PRIu64 " ", counts[i]);
    }
    fprintf(out, "%a %a %zu %zu %zu\n", c.utility, c.utility_planned, c.machines_up, c.machines_draining,
            c.machines_down);
}

static char *text_of(berth_scheduler *s, size_t n_resources, bool all) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    write_ledger(out, s, n_resources);
    if (all) {
        write_rest(out, s, n_resources);
    }
    assert_int_equal(fclose(out), 0);
    return text;
}

static void expect_same(char *now, char *before, const char *what) {
    size_t line = 0;
    for (size_t i = 0; now[i] == before[i] && now[i] != '\0'; i++) {
        line = now[i] == '\n' ? i + 1 : line;
    }
    if (strcmp(now, before) != 0) {
        fail_msg("%s: was \"%.*s\", is \"%.*s\"", what, (int)strcspn(before + line, "\n"), before + line,
                 (int)strcspn(now + line, "\n"), now + line);
    }
    free(now);
    free(before);
}

char *scheduler_state(berth_scheduler *s, size_t n_resources) {
    return text_of(s, n_resources, true);
}

void expect_state(berth_scheduler *s, size_t n_resources, char *before, const char *what) {
    expect_same(scheduler_state(s, n_resources), before, what);
}

char *scheduler_ledger(berth_scheduler *s, size_t n_resources) {
    return text_of(s, n_resources, false);
}

void expect_ledger(berth_scheduler *s, size_t n_resources, char *before, const char *what) {
    expect_same(scheduler_ledger(s, n_resources), before, what);
}
