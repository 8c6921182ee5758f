#include "tests/support/event_model.h"

#include "tests/support/check.h"
#include "tests/support/job_twin.h"

#include <stdlib.h>
#include <string.h>

enum { MACHINES = 10, RESOURCES = 3, SLOTS = 16, QUOTAS = 2, IDS = 8 };

typedef enum fate { REJECTED = 0, LIVE, COMPLETED, FINISHED, CANCELLED, LOST, LAPSED, ABANDONED } fate;

typedef struct record {
    berth_job job;
    char id[16];
    uint64_t number, gang;
    fate fate;
    bool proposed;
    int arrival, promised, completion;
    double work;
    berth_decision *plan; /* as it was read last; NULL unless live */
} record;

typedef struct told {
    uint64_t number;
    berth_change_kind kind;
    int slot;
} told;

struct event_model {
    double slot_seconds, worth; /* of a slot in which the job has moved */
    bool rolling;
    int horizon, now;
    size_t R, n_machines, n_quotas;
    char names[MACHINES][16];
    double capacity[MACHINES][RESOURCES];
    berth_machine_state state[MACHINES];
    const berth_quota *quotas;
    size_t n, room;
    record *records; /* by number */
    size_t n_live;
    size_t *live; /* [n_live] by number; room of `room` */
    size_t n_told, told_room;
    told *log;
    berth_statistics counts;
    size_t events, most_live;
    char ids[IDS][16];
};

/* ---- life cycle ---- */

event_model *event_model_new(const berth_cluster *cluster, const berth_options *options) {
    event_model *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->slot_seconds = cluster->slot_seconds;
    m->worth = 1 - options->restart_delay_s / cluster->slot_seconds;
    m->rolling = options->rolling;
    m->horizon = cluster->horizon_slots;
    m->R = cluster->n_resources;
    m->n_quotas = cluster->n_quotas;
    m->quotas = cluster->quotas;
    assert_true(cluster->n_machines <= MACHINES && m->R <= RESOURCES && m->horizon <= SLOTS && m->n_quotas <= QUOTAS);
    for (size_t h = 0; h < cluster->n_machines; h++) {
        event_model_machine(m, (int)h, cluster->machines[h], BERTH_MACHINE_UP, cluster->capacity + h * m->R);
    }
    m->events = 0;
    return m;
}

void event_model_free(event_model *m) {
    for (size_t i = 0; i < m->n; i++) {
        berth_decision_free(m->records[i].plan);
    }
    free(m->records);
    free(m->live);
    free(m->log);
    free(m);
}

void event_model_count(const event_model *m, event_tally *sum) {
    const berth_statistics *c = &m->counts;
    sum->events += m->events;
    sum->submitted += c->submitted;
    sum->rejected += c->rejected;
    sum->completed += c->completed;
    sum->finished += c->finished;
    sum->cancelled += c->cancelled;
    sum->lost += c->lost;
    sum->lapsed += c->lapsed;
    sum->abandoned += c->abandoned;
    sum->moved += c->moved;
    sum->delayed += c->delayed;
    sum->most_live = m->most_live > sum->most_live ? m->most_live : sum->most_live;
}

/* ---- asking ---- */

const char *event_model_next_id(event_model *m, size_t ahead) {
    assert_true(ahead < IDS);
    snprintf(m->ids[ahead], sizeof m->ids[ahead], "j%zu", m->n + ahead);
    return m->ids[ahead];
}

size_t event_model_live(const event_model *m) {
    return m->n_live;
}

uint64_t event_model_number(const event_model *m, size_t index, bool *proposed) {
    *proposed = m->records[m->live[index]].proposed;
    return m->records[m->live[index]].number;
}

size_t event_model_submitted(const event_model *m) {
    return m->n;
}

bool event_model_is_live(const event_model *m, uint64_t number) {
    return number < m->n && m->records[number].fate == LIVE;
}

berth_machine_state event_model_state(const event_model *m, int machine) {
    return m->state[machine];
}

size_t event_model_machines(const event_model *m) {
    return m->n_machines;
}

static double done_of(const event_model *m, const record *r) {
    double done = 0;
    for (size_t k = 0; k < r->plan->n_slots && r->plan->slots[k].slot < m->now; k++) {
        done += r->plan->slots[k].samples;
    }
    return fmin(done, r->work);
}

double event_model_left(const event_model *m, uint64_t number) {
    const record *r = &m->records[number];
    return r->work - done_of(m, r);
}

/* ---- events ---- */

static int horizon_of(const event_model *m) {
    return m->horizon + (m->rolling ? m->now : 0);
}

static void tell(event_model *m, uint64_t number, berth_change_kind kind, int slot) {
    for (size_t i = 0; i < m->n_told && kind == BERTH_CHANGE_MOVED; i++) {
        if (m->log[i].number == number && m->log[i].kind == kind) {
            m->log[i].slot = slot;
            return;
        }
    }
    if (m->n_told == m->told_room) {
        m->told_room = 2 * m->told_room + 16;
        m->log = realloc(m->log, m->told_room * sizeof *m->log);
        assert_non_null(m->log);
    }
    m->log[m->n_told++] = (told){number, kind, slot};
}

static void end(event_model *m, record *r, fate how) {
    size_t at = 0;
    while (m->live[at] != r->number) {
        at++;
    }
    memmove(m->live + at, m->live + at + 1, (m->n_live - at - 1) * sizeof *m->live);
    m->n_live--;
    r->completion = r->plan->completion_slot;
    r->fate = how;
    berth_decision_free(r->plan);
    r->plan = NULL;
}

static double utility_of(const record *r, int slot) {
    return job_twin_utility(&r->job.utility, slot - r->arrival);
}

static bool lapsed(const event_model *m, const record *r) {
    bool any = false;
    for (size_t i = 0; i < m->n_live && r->proposed; i++) {
        const record *mate = &m->records[m->live[i]];
        any = any || (mate->gang == r->gang && mate->plan->slots[0].slot < m->now);
    }
    return any;
}

void event_model_advance(event_model *m, int slot) {
    m->events += slot > m->now;
    m->now = slot;
    bool *lapses = calloc(m->n_live + 1, sizeof *lapses);
    assert_non_null(lapses);
    size_t n = m->n_live;
    for (size_t i = 0; i < n; i++) {
        lapses[i] = lapsed(m, &m->records[m->live[i]]);
    }
    for (size_t i = 0, at = 0; i < n; i++) {
        record *r = &m->records[m->live[at]];
        int last = r->plan->completion_slot;
        if (lapses[i]) {
            m->counts.lapsed++;
            tell(m, r->number, BERTH_CHANGE_LAPSED, slot);
            end(m, r, LAPSED);
        } else if (last < slot) {
            m->counts.completed++;
            m->counts.utility += utility_of(r, last);
            tell(m, r->number, BERTH_CHANGE_COMPLETED, last + 1);
            end(m, r, COMPLETED);
        } else {
            at++;
        }
    }
    free(lapses);
}

static void make_room(event_model *m, size_t more) {
    if (m->n + more > m->room) {
        m->room = 2 * m->room + more + 64;
        m->records = realloc(m->records, m->room * sizeof *m->records);
        m->live = realloc(m->live, m->room * sizeof *m->live);
        assert_true(m->records != NULL && m->live != NULL);
    }
}

static berth_decision *plan_of(berth_scheduler *s, uint64_t number) {
    berth_error error;
    berth_decision *plan = NULL;
    assert_ok(berth_present_plan(s, number, &plan, &error), error);
    return plan;
}

void event_model_submit(event_model *m, size_t n, const berth_job *jobs, berth_decision *const *decisions, bool gang,
                        bool proposed) {
    m->events++;
    make_room(m, n);
    for (size_t i = 0; i < n; i++) {
        const berth_decision *d = decisions[i];
        record *r = &m->records[m->n];
        *r = (record){.job = jobs[i],
                      .number = m->n,
                      .gang = gang ? m->n - i : m->n,
                      .arrival = jobs[i].arrival_slot,
                      .proposed = proposed && d->admitted,
                      .work = jobs[i].epochs * jobs[i].samples,
                      .promised = d->promised_slot,
                      .completion = -1};
        snprintf(r->id, sizeof r->id, "%s", jobs[i].id);
        assert_int_equal(d->number, m->n);
        assert_true(d->reason[0] != '\0');
        assert_true(d->promised_slot == d->completion_slot && d->admitted == (d->completion_slot >= 0));
        assert_true(d->admitted == (d->n_slots > 0));
        assert_true(!gang || d->admitted == decisions[0]->admitted);
        m->n++;
        m->counts.submitted++;
        m->counts.rejected += !d->admitted;
        m->counts.admitted += d->admitted && !proposed;
        m->counts.proposed += d->admitted && proposed;
        if (d->admitted) {
            r->fate = LIVE;
            m->live[m->n_live++] = r->number;
        }
    }
    m->most_live = m->n_live > m->most_live ? m->n_live : m->most_live;
}

static void settle(event_model *m, uint64_t number, bool commit) {
    uint64_t gang = m->records[number].gang;
    m->events++;
    for (size_t i = 0; i < m->n; i++) {
        record *r = &m->records[i];
        if (r->fate == LIVE && r->proposed && r->gang == gang) {
            r->proposed = false;
            m->counts.admitted += commit;
            m->counts.abandoned += !commit;
            if (!commit) {
                end(m, r, ABANDONED);
            }
        }
    }
}

void event_model_commit(event_model *m, uint64_t number) {
    settle(m, number, true);
}

void event_model_abandon(event_model *m, uint64_t number) {
    settle(m, number, false);
}

void event_model_finish(event_model *m, uint64_t number) {
    record *r = &m->records[number];
    m->events++;
    m->counts.finished++;
    m->counts.utility += utility_of(r, m->now - 1 > r->arrival ? m->now - 1 : r->arrival);
    end(m, r, FINISHED);
}

void event_model_cancel(event_model *m, uint64_t number) {
    m->events++;
    m->counts.cancelled++;
    end(m, &m->records[number], CANCELLED);
}

void event_model_work(event_model *m, uint64_t number, double left) {
    record *r = &m->records[number];
    m->events++;
    r->work = done_of(m, r) + left;
}

void event_model_machine(event_model *m, int machine, const char *name, berth_machine_state state,
                         const double *capacity) {
    size_t h = (size_t)machine;
    m->events++;
    assert_true(h <= m->n_machines && h < MACHINES);
    m->n_machines += h == m->n_machines;
    m->state[h] = state;
    if (name != NULL) {
        snprintf(m->names[h], sizeof m->names[h], "%s", name);
    }
    for (size_t r = 0; r < m->R && capacity != NULL; r++) {
        m->capacity[h][r] = capacity[r];
    }
}

/* ---- plans ---- */

static bool same_slot(const berth_slot_plan *a, const berth_slot_plan *b, bool elsewhen) {
    bool same = (elsewhen || a->slot == b->slot) && a->n_placements == b->n_placements;
    for (size_t i = 0; same && i < a->n_placements; i++) {
        const berth_placement *x = &a->placements[i], *y = &b->placements[i];
        same = x->machine == y->machine && x->workers == y->workers && x->ps == y->ps;
    }
    return same;
}

static bool same_plan(const berth_decision *a, const berth_decision *b) {
    bool same = a->n_slots == b->n_slots;
    for (size_t k = 0; same && k < a->n_slots; k++) {
        same = same_slot(&a->slots[k], &b->slots[k], false);
    }
    return same;
}

/* The workers of a slot, whose placements are as they have to be; fresh: they were chosen in this event. */
static int workers_of(const event_model *m, const record *r, const berth_slot_plan *slot, bool fresh) {
    int workers = 0, servers = 0;
    for (size_t i = 0; i < slot->n_placements; i++) {
        const berth_placement *p = &slot->placements[i];
        assert_true(p->workers >= 0 && p->ps >= 0 && p->workers + p->ps > 0);
        assert_true(p->machine >= 0 && (size_t)p->machine < m->n_machines);
        assert_true(i == 0 || p->machine > p[-1].machine);
        assert_true(job_twin_allows(&r->job, m->names[p->machine]));
        assert_true(slot->slot < m->now || m->state[p->machine] != BERTH_MACHINE_DOWN);
        assert_true(slot->slot < m->now || !fresh || m->state[p->machine] == BERTH_MACHINE_UP);
        workers += p->workers;
        servers += p->ps;
    }
    assert_true(workers >= 1 && workers <= r->job.max_workers);
    assert_int_equal(servers, job_twin_servers(&r->job, workers));
    assert_int_equal(slot->locality, slot->n_placements == 1 ? BERTH_INTERNAL : BERTH_EXTERNAL);
    return workers;
}

static void check_plan(const event_model *m, const record *r, const berth_decision *plan, bool fresh) {
    double samples = 0;
    assert_true(plan->n_slots > 0 && plan->slots[0].slot >= r->arrival);
    for (size_t k = 0; k < plan->n_slots; k++) {
        const berth_slot_plan *slot = &plan->slots[k], *before = k == 0 ? NULL : slot - 1;
        assert_true(before == NULL || slot->slot > before->slot);
        double full = workers_of(m, r, slot, fresh) *
                      job_twin_progress(m->slot_seconds, &r->job, slot->locality == BERTH_INTERNAL);
        bool stays = before == NULL || (before->slot + 1 == slot->slot && same_slot(before, slot, true));
        assert_close(slot->samples, full * (stays ? 1 : m->worth), 1e-9);
        samples += slot->samples;
    }
    assert_true(samples >= r->work * (1 - 1e-8));
    int last = plan->slots[plan->n_slots - 1].slot;
    assert_true(last == plan->completion_slot && last < horizon_of(m));
    assert_close(plan->utility, utility_of(r, last), 1e-9);
}

/* The plan as it is now, against the one that was read last (NULL: there is none). */
static void learn(event_model *m, record *r, berth_decision *plan) {
    berth_decision *old = r->plan;
    bool fresh = old == NULL || !same_plan(old, plan);
    check_plan(m, r, plan, fresh);
    for (size_t k = 0; old != NULL && k < old->n_slots && old->slots[k].slot < m->now; k++) {
        assert_true(k < plan->n_slots && same_slot(&old->slots[k], &plan->slots[k], false));
        assert_true(old->slots[k].samples == plan->slots[k].samples);
    }
    r->plan = plan;
    if (plan->completion_slot > r->promised) {
        assert_non_null(old);
        r->promised = plan->completion_slot;
        m->counts.delayed++;
        tell(m, r->number, BERTH_CHANGE_DELAYED, m->now);
    } else if (old != NULL && fresh) {
        m->counts.moved++;
        tell(m, r->number, BERTH_CHANGE_MOVED, m->now);
    }
    assert_int_equal(plan->promised_slot, r->promised);
    berth_decision_free(old);
}

/* ---- checking ---- */

static void find_lost(event_model *m, const berth_scheduler *s, bool may_lose) {
    for (size_t i = 0; i < m->n_live;) {
        record *r = &m->records[m->live[i]];
        uint64_t number = 0;
        if (berth_find_job(s, r->id, &number)) {
            assert_int_equal(number, r->number);
            i++;
            continue;
        }
        if (!may_lose || r->plan == NULL) {
            fail_msg("job %s is gone", r->id);
        }
        m->counts.lost++;
        tell(m, r->number, BERTH_CHANGE_LOST, m->now);
        end(m, r, LOST);
        for (size_t k = 0; k < m->n_live; k++) { /* all of a gang, or none */
            assert_true(m->records[m->live[k]].gang != r->gang || !berth_find_job(s, m->records[m->live[k]].id, NULL));
        }
    }
}

static void check_live_job(const event_model *m, const record *r, const berth_job_info *info) {
    assert_true(info->number == r->number && info->gang == r->gang && strcmp(info->id, r->id) == 0);
    berth_job_state state = r->proposed                       ? BERTH_JOB_PROPOSED
                            : r->plan->slots[0].slot > m->now ? BERTH_JOB_WAITING
                                                              : BERTH_JOB_RUNNING;
    assert_int_equal(info->state, state);
    assert_int_equal(info->arrival_slot, r->arrival);
    assert_int_equal(info->promised_slot, r->promised);
    assert_int_equal(info->completion_slot, r->plan->completion_slot);
    assert_close(info->samples, r->work, 1e-9);
    assert_close(info->samples_left, r->work - done_of(m, r), 1e-9);
}

/* What is held in the slots to come: of machines, and by tenants in all. */
typedef struct holdings {
    double of_machine[SLOTS][MACHINES][RESOURCES], of_tenant[SLOTS][QUOTAS][RESOURCES];
    int until[MACHINES]; /* the first slot from which on it is empty, also of servers that demand nothing */
} holdings;

static void add_plan(const event_model *m, const record *job, holdings *held) {
    for (size_t k = 0; k < job->plan->n_slots; k++) {
        const berth_slot_plan *slot = &job->plan->slots[k];
        for (size_t i = 0; i < slot->n_placements * m->R && slot->slot >= m->now; i++) {
            const berth_placement *p = &slot->placements[i / m->R];
            size_t r = i % m->R, t = (size_t)(slot->slot - m->now);
            double load = p->workers * job->job.worker[r] + (p->ps > 0 ? p->ps * job->job.ps[r] : 0);
            held->of_machine[t][p->machine][r] += load;
            held->until[p->machine] =
                slot->slot + 1 > held->until[p->machine] ? slot->slot + 1 : held->until[p->machine];
            for (size_t q = 0; q < m->n_quotas; q++) {
                bool counts = job->job.tenant != NULL && strcmp(job->job.tenant, m->quotas[q].tenant) == 0;
                held->of_tenant[t][q][r] += counts ? load : 0;
            }
        }
    }
}

static void check_holdings(const event_model *m, const berth_scheduler *s, const holdings *held) {
    for (int slot = m->now; slot < horizon_of(m); slot++) {
        for (size_t h = 0; h < m->n_machines; h++) {
            for (size_t r = 0; r < m->R; r++) {
                double load = held->of_machine[slot - m->now][h][r];
                assert_close(berth_used(s, slot, (int)h, (int)r), load, 1e-9);
                assert_at_most(load, m->state[h] == BERTH_MACHINE_DOWN ? 0 : m->capacity[h][r], 2e-9);
            }
        }
        for (size_t q = 0; q < m->n_quotas; q++) {
            for (size_t r = 0; r < m->R; r++) {
                assert_at_most(held->of_tenant[slot - m->now][q][r], m->quotas[q].amount[r], 2e-9);
            }
        }
    }
}

static void check_machines(const event_model *m, const berth_scheduler *s, const int *until) {
    size_t up = 0, draining = 0, down = 0;
    assert_int_equal(berth_machine_count(s), m->n_machines);
    for (size_t h = 0; h < m->n_machines; h++) {
        berth_machine_info info = {0};
        assert_int_equal(berth_machine(s, (int)h, &info), BERTH_OK);
        bool drained = m->state[h] == BERTH_MACHINE_DRAINING && until[h] == m->now;
        assert_int_equal(info.state, drained ? BERTH_MACHINE_DOWN : m->state[h]);
        assert_int_equal(info.held_until, until[h]);
        assert_string_equal(info.name, m->names[h]);
        assert_int_equal(berth_find_machine(s, m->names[h]), h);
        for (size_t r = 0; r < m->R; r++) {
            assert_true(info.capacity[r] == m->capacity[h][r]);
        }
        up += info.state == BERTH_MACHINE_UP;
        draining += info.state == BERTH_MACHINE_DRAINING;
        down += info.state == BERTH_MACHINE_DOWN;
    }
    berth_statistics c = {0};
    assert_int_equal(berth_scheduler_statistics(s, &c), BERTH_OK);
    assert_true(c.machines_up == up && c.machines_draining == draining && c.machines_down == down);
}

static void check_ledger(const event_model *m, const berth_scheduler *s) {
    holdings *held = calloc(1, sizeof *held);
    assert_non_null(held);
    for (size_t h = 0; h < MACHINES; h++) {
        held->until[h] = m->now;
    }
    for (size_t i = 0; i < m->n_live; i++) {
        add_plan(m, &m->records[m->live[i]], held);
    }
    assert_int_equal(berth_horizon(s), horizon_of(m));
    check_holdings(m, s, held);
    check_machines(m, s, held->until);
    free(held);
}

static void check_statistics(const event_model *m, const berth_scheduler *s) {
    berth_statistics c = {0}, e = m->counts;
    assert_int_equal(berth_scheduler_statistics(s, &c), BERTH_OK);
    const uint64_t got[] = {c.submitted, c.admitted, c.rejected, c.proposed, c.abandoned, c.lapsed,
                            c.completed, c.finished, c.lost,     c.moved,    c.delayed,   c.cancelled};
    const uint64_t wanted[] = {e.submitted, e.admitted, e.rejected, e.proposed, e.abandoned, e.lapsed,
                               e.completed, e.finished, e.lost,     e.moved,    e.delayed,   e.cancelled};
    for (size_t i = 0; i < sizeof got / sizeof *got; i++) {
        if (got[i] != wanted[i]) {
            fail_msg("statistic %zu is %d, expected %d", i, (int)got[i], (int)wanted[i]);
        }
    }
    assert_int_equal(c.live, m->n_live);
    double planned = 0;
    for (size_t i = 0; i < m->n_live; i++) {
        const record *r = &m->records[m->live[i]];
        planned += r->proposed ? 0 : utility_of(r, r->plan->completion_slot);
    }
    assert_close(c.utility, m->counts.utility, 1e-9);
    assert_close(c.utility_planned, planned, 1e-9);
}

void event_model_check(event_model *m, berth_scheduler *s, bool may_lose) {
    assert_int_equal(berth_now(s), m->now);
    size_t told_before = m->n_told;
    find_lost(m, s, may_lose);
    assert_int_equal(berth_live_count(s), m->n_live);
    for (size_t i = 0; i < m->n_live; i++) {
        record *r = &m->records[m->live[i]];
        learn(m, r, plan_of(s, r->number));
        berth_job_info info = {0};
        assert_int_equal(berth_live_job(s, i, &info), BERTH_OK);
        check_live_job(m, r, &info);
    }
    for (size_t i = told_before + 1; i < m->n_told; i++) { /* of this event, by number */
        for (size_t k = i; k > told_before && m->log[k - 1].number > m->log[k].number; k--) {
            told swap = m->log[k];
            m->log[k] = m->log[k - 1];
            m->log[k - 1] = swap;
        }
    }
    check_ledger(m, s);
    check_statistics(m, s);
}

/* ---- what is told ---- */

static void check_change(const event_model *m, const told *expected, const berth_change *c) {
    const record *r = &m->records[expected->number];
    if (c->number != expected->number || c->kind != expected->kind || c->slot != expected->slot) {
        fail_msg("told: job %d %s in slot %d; expected job %d %s in slot %d", (int)c->number,
                 berth_change_kind_name(c->kind), c->slot, (int)expected->number,
                 berth_change_kind_name(expected->kind), expected->slot);
    }
    assert_string_equal(c->id, r->id);
    bool ends = c->kind != BERTH_CHANGE_MOVED && c->kind != BERTH_CHANGE_DELAYED;
    if (ends || r->fate == LIVE) {
        assert_int_equal(c->promised_slot, r->promised);
    }
    if (ends) {
        assert_int_equal(c->completion_slot, c->kind == BERTH_CHANGE_COMPLETED ? r->completion : -1);
    } else if (r->fate == LIVE) {
        assert_int_equal(c->completion_slot, r->plan->completion_slot);
    }
    assert_true((c->kind == BERTH_CHANGE_LOST || c->kind == BERTH_CHANGE_LAPSED) == (c->reason[0] != '\0'));
}

void event_model_take_changes(event_model *m, berth_scheduler *s) {
    berth_changes got;
    berth_error error;
    assert_ok(berth_take_changes(s, &got, &error), error);
    size_t n = 0;
    for (size_t i = 0; i < m->n_told; i++) {
        fate f = m->records[m->log[i].number].fate;
        if (f != FINISHED && f != CANCELLED && f != ABANDONED) { /* those the caller knows of */
            assert_true(n < got.n);
            check_change(m, &m->log[i], &got.changes[n++]);
        }
    }
    assert_int_equal(got.n, n);
    m->n_told = 0;
    berth_changes_clear(&got);
}
