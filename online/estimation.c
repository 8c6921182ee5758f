#include "online/estimation.h"

#include "base/pcg.h"
#include "base/tolerance.h"

#include <math.h>

enum { ESTIMATION_STREAM = 0x65737469 };

static const double two_pi = 6.283185307179586;

berth_truth berth__truth_draw(double sigma, uint64_t seed, size_t job) {
    if (!(sigma > 0)) {
        return (berth_truth){1, 1};
    }
    const uint64_t key[] = {ESTIMATION_STREAM, seed, job};
    berth__pcg stream = berth__pcg_key(3, key);
    double radius = sqrt(-2 * log(1 - berth__pcg_uniform(&stream)));
    double angle = two_pi * berth__pcg_uniform(&stream);
    return (berth_truth){.speed = exp(sigma * radius * cos(angle)), .work = exp(sigma * radius * sin(angle))};
}

bool berth__run_set_truth(berth_run *run) {
    if (!(run->noise > 0)) {
        return true;
    }
    berth_truth *truth = BERTH__ARENA_ARRAY(berth__run_arena(run), berth_truth, run->n_jobs);
    for (size_t i = 0; truth != NULL && i < run->n_jobs; i++) {
        truth[i] = berth__truth_draw(run->noise, run->seed, i);
    }
    run->truth = truth;
    return truth != NULL;
}

berth_truth berth__run_truth(const berth_run *run, size_t job) {
    return run->truth != NULL ? run->truth[job] : (berth_truth){1, 1};
}

bool berth__truly_done(const berth__job *job, berth_truth truth, double samples) {
    return samples >= job->work * truth.work * (1 - BERTH__PROGRESS);
}

/* The slot in which a job's slots make the declared work at the declared speed; -1: they do not. */
static int declared_completion(const berth_run_job *record, const berth__job *job, berth_truth truth) {
    double samples = 0;
    for (size_t k = 0; k < record->n_slots; k++) {
        samples += record->slots[k].samples / truth.speed;
        if (berth__truly_done(job, (berth_truth){1, 1}, samples)) {
            return record->slots[k].slot;
        }
    }
    return -1;
}

bool berth__run_summarise_estimation(berth_run *run, berth__job *const *jobs) {
    if (run->truth == NULL) {
        return true;
    }
    berth_estimation_summary *s = BERTH__ARENA_ARRAY(berth__run_arena(run), berth_estimation_summary, 1);
    if (s == NULL) {
        return false;
    }
    double sum = 0, worst = 0;
    *s = (berth_estimation_summary){.mean_overrun_slots = (double)NAN, .worst_overrun_slots = (double)NAN};
    for (size_t i = 0; i < run->n_jobs; i++) {
        const berth_run_job *job = &run->jobs[i];
        bool completed = job->outcome == BERTH_JOB_COMPLETED;
        int due = completed ? declared_completion(job, jobs[i], run->truth[i]) : -1;
        s->unfinished += job->outcome == BERTH_JOB_UNFINISHED;
        s->early += completed && due < 0;
        if (completed && due >= 0 && due < job->completion_slot) {
            s->late++;
            sum += job->completion_slot - due;
            worst = fmax(worst, job->completion_slot - due);
        }
        if (job->promised_slot >= 0) {
            bool kept = completed && job->completion_slot <= job->promised_slot;
            s->promises_kept += kept;
            s->promises_broken += !kept;
        }
    }
    if (s->late > 0) {
        s->mean_overrun_slots = sum / (double)s->late;
        s->worst_overrun_slots = worst;
    }
    run->estimation = s;
    return true;
}
