/* One slot of a finished run, seen from the instance and the result alone: what each job holds, what room is left, and
 * what would fit if some jobs held less. For tests of the rules of policies. */
#ifndef BERTH_TESTS_SLOT_VIEW_H
#define BERTH_TESTS_SLOT_VIEW_H

#include <berth_io.h>

typedef struct slot_view {
    const berth_instance *instance;
    const berth_run *run;
    int slot;
    int *w, *s;             /* [n_jobs][n_machines] */
    int *workers, *servers; /* [n_jobs] */
    bool *there;            /* [n_jobs] arrived, not complete before the slot, admitted */
    double *remaining;      /* [n_jobs] samples before the slot */
    double *used;           /* [n_machines][n_resources] */
} slot_view;

slot_view *slot_view_new(const berth_instance *instance, const berth_run *run, int slot);
void slot_view_free(slot_view *view);

/* ---- a run ---- */

/* Jobs by arrival, ties by file order; the caller frees it. */
size_t *slot_view_by_arrival(const berth_instance *instance);
int slot_view_workers(const berth_slot_plan *plan);
/* Is the job's k-th slot placed otherwise than the slot before? Not the first. */
bool slot_view_moved(const berth_run_job *job, size_t k);
/* Samples of a slot's placement without any loss. */
double slot_view_full_progress(const berth_instance *instance, size_t job, const berth_slot_plan *plan);

/* ---- a slot ---- */

/* The job is there and could use another worker for what remains. */
bool slot_view_wants(const slot_view *view, size_t job);
void slot_view_remove(slot_view *view, size_t job);
/* One worker less, on machine 0, with the server it no longer needs. One machine only. */
void slot_view_take_one(slot_view *view, size_t job);
/* One worker more, on machine 0, with the server it needs. */
void slot_view_put_one(slot_view *view, size_t job);
/* Is there any machine for one more worker, and any for the server it needs, if it needs one? */
bool slot_view_fits_one_more(const slot_view *view, size_t job);
/* The same, such that the job makes more progress by it. */
bool slot_view_gains_by_one_more(const slot_view *view, size_t job);
/* Do that many workers of the job, which holds nothing, fit with their servers on machine 0? */
bool slot_view_fits(const slot_view *view, size_t job, int workers);
/* Dominant share of that many workers with their servers. */
double slot_view_share(const slot_view *view, size_t job, int workers);
/* Worker-slots that remain, at the slower locality. */
double slot_view_remaining_time(const slot_view *view, size_t job);
bool slot_view_arrives_before(const slot_view *view, size_t job, size_t other);
/* 0 or 1: below the mean service of the jobs completed before this slot, or not. */
int slot_view_las_queue(const slot_view *view, size_t job);
/* Drop of the remaining time by worker number n + 1 per dominant share of it and of the server it needs. */
double slot_view_optimus_gain(const slot_view *view, size_t job, int n);

#endif
