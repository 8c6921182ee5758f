#include "online/slot_room.h"

#include "base/tolerance.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* ---- holdings ---- */

bool berth__holding_init(berth__holding *holding, const berth__cluster *cluster) {
    *holding = (berth__holding){.w = BERTH__NEW_ARRAY(int, (size_t)cluster->n_machines),
                                .s = BERTH__NEW_ARRAY(int, (size_t)cluster->n_machines)};
    return holding->w != NULL && holding->s != NULL;
}

void berth__holding_free(berth__holding *holding) {
    berth__free(holding->w);
    berth__free(holding->s);
    *holding = (berth__holding){0};
}

void berth__holding_empty(berth__holding *holding, const berth__cluster *cluster) {
    if (holding->machines > 0) {
        memset(holding->w, 0, (size_t)cluster->n_machines * sizeof *holding->w);
        memset(holding->s, 0, (size_t)cluster->n_machines * sizeof *holding->s);
    }
    holding->workers = holding->servers = holding->machines = 0;
}

void berth__holding_copy(berth__holding *to, const berth__holding *from, const berth__cluster *cluster) {
    memcpy(to->w, from->w, (size_t)cluster->n_machines * sizeof *to->w);
    memcpy(to->s, from->s, (size_t)cluster->n_machines * sizeof *to->s);
    to->workers = from->workers;
    to->servers = from->servers;
    to->machines = from->machines;
}

bool berth__holding_equal(const berth__holding *a, const berth__holding *b, const berth__cluster *cluster) {
    return memcmp(a->w, b->w, (size_t)cluster->n_machines * sizeof *a->w) == 0 &&
           memcmp(a->s, b->s, (size_t)cluster->n_machines * sizeof *a->s) == 0;
}

/* ---- room ---- */

bool berth__room_init(berth__slot_room *room, const berth__cluster *cluster) {
    size_t R = (size_t)cluster->n_resources;
    *room = (berth__slot_room){.cluster = cluster,
                               .used = berth__calloc((size_t)cluster->n_machines, R * sizeof *room->used),
                               .tenant_used = berth__calloc((size_t)cluster->n_quotas, R * sizeof *room->tenant_used)};
    return room->used != NULL && room->tenant_used != NULL;
}

void berth__room_free(berth__slot_room *room) {
    berth__free(room->used);
    berth__free(room->tenant_used);
    *room = (berth__slot_room){0};
}

void berth__room_empty(berth__slot_room *room) {
    size_t R = (size_t)room->cluster->n_resources;
    memset(room->used, 0, (size_t)room->cluster->n_machines * R * sizeof *room->used);
    memset(room->tenant_used, 0, (size_t)room->cluster->n_quotas * R * sizeof *room->tenant_used);
}

static bool within(const berth__job *job, int n_resources, const double *used, const double *limit, int w, int s) {
    for (int r = 0; r < n_resources; r++) {
        if (!(used[r] + berth__load(job, r, w, s) <= limit[r] * (1 + BERTH__FEASIBILITY / 2))) {
            return false;
        }
    }
    return true;
}

static bool fits_quota(const berth__slot_room *room, const berth__job *job, int w, int s) {
    size_t R = (size_t)room->cluster->n_resources, row = (size_t)(job->quota < 0 ? 0 : job->quota) * R;
    return job->quota < 0 ||
           within(job, room->cluster->n_resources, room->tenant_used + row, room->cluster->quota + row, w, s);
}

static bool fits_machine(const berth__slot_room *room, const berth__job *job, int machine, int w, int s) {
    size_t row = (size_t)machine * (size_t)room->cluster->n_resources;
    return (job->eligible == NULL || job->eligible[machine]) &&
           within(job, room->cluster->n_resources, room->used + row, room->cluster->capacity + row, w, s);
}

bool berth__room_fits(const berth__slot_room *room, const berth__job *job, int machine, int w, int s) {
    return fits_machine(room, job, machine, w, s) && fits_quota(room, job, w, s);
}

static void account(berth__slot_room *room, const berth__job *job, int machine, int w, int s) {
    size_t R = (size_t)room->cluster->n_resources;
    double *used = room->used + (size_t)machine * R;
    double *tenant = job->quota < 0 ? NULL : room->tenant_used + (size_t)job->quota * R;
    for (int r = 0; r < room->cluster->n_resources; r++) {
        double amount = berth__load(job, r, w, s);
        used[r] += amount;
        if (tenant != NULL) {
            tenant[r] += amount;
        }
    }
}

void berth__room_put(berth__slot_room *room, const berth__job *job, berth__holding *holding, int machine, int w,
                     int s) {
    bool before = holding->w[machine] > 0 || holding->s[machine] > 0;
    account(room, job, machine, w, s);
    holding->w[machine] += w;
    holding->s[machine] += s;
    holding->workers += w;
    holding->servers += s;
    holding->machines += (holding->w[machine] > 0 || holding->s[machine] > 0) - before;
}

void berth__room_put_all(berth__slot_room *room, const berth__job *job, const berth__holding *holding, bool away) {
    int sign = away ? -1 : 1;
    for (int h = 0; h < room->cluster->n_machines && holding->machines > 0; h++) {
        if (holding->w[h] > 0 || holding->s[h] > 0) {
            account(room, job, h, sign * holding->w[h], sign * holding->s[h]);
        }
    }
}

int berth__room_count(const berth__slot_room *room, const berth__job *job, int machine, int limit) {
    int low = 0, high = limit; /* room is monotone in the number of workers */
    while (low < high) {
        int middle = high - (high - low) / 2;
        bool fits = berth__room_fits(room, job, machine, middle, berth__ps_needed(job, middle));
        low = fits ? middle : low;
        high = fits ? high : middle - 1;
    }
    return low;
}

/* ---- one worker ---- */

static int first_fit(const berth__slot_room *room, const berth__job *job, int w, int s) {
    for (int h = 0; h < room->cluster->n_machines; h++) {
        if (fits_machine(room, job, h, w, s)) {
            return h;
        }
    }
    return -1;
}

/* A worker and a server, the one named first by first fit, then the other. If both orders fail there is no room for
 * them: had a fitting pair of machines neither first choice in common, one of the orders would have found it. */
static bool add_pair(berth__slot_room *room, const berth__job *job, berth__holding *holding, bool worker_first) {
    int first = first_fit(room, job, worker_first, !worker_first);
    if (first < 0) {
        return false;
    }
    berth__room_put(room, job, holding, first, worker_first, !worker_first);
    int second = first_fit(room, job, !worker_first, worker_first);
    if (second < 0) {
        berth__room_put(room, job, holding, first, -worker_first, -!worker_first);
        return false;
    }
    berth__room_put(room, job, holding, second, !worker_first, worker_first);
    return true;
}

/* The first machine on which as many as possible fit; -1: not one does. */
static int roomiest(const berth__slot_room *room, const berth__job *job, int wanted, int *count) {
    int best = -1;
    *count = 0;
    for (int h = 0; h < room->cluster->n_machines && *count < wanted; h++) {
        if (berth__room_fits(room, job, h, *count + 1, berth__ps_needed(job, *count + 1))) {
            best = h;
            *count = berth__room_count(room, job, h, wanted);
        }
    }
    return best;
}

/* A machine of the job's own where w workers and s servers fit. */
static int own_machine(const berth__slot_room *room, const berth__job *job, const berth__holding *holding, int w,
                       int s) {
    for (int h = 0, seen = 0; h < room->cluster->n_machines && seen < holding->machines; h++) {
        bool own = holding->w[h] > 0 || holding->s[h] > 0;
        seen += own;
        if (own && fits_machine(room, job, h, w, s)) {
            return h;
        }
    }
    return -1;
}

static int server_room(const berth__slot_room *room, const berth__job *job, int machine, int limit) {
    int low = 0, high = limit;
    while (low < high) {
        int middle = high - (high - low) / 2;
        bool fits = fits_machine(room, job, machine, 0, middle);
        low = fits ? middle : low;
        high = fits ? high : middle - 1;
    }
    return low;
}

/* Puts s servers by first fit, or none. */
static bool add_servers(berth__slot_room *room, const berth__job *job, berth__holding *holding, int s) {
    int H = room->cluster->n_machines, left = s;
    for (int h = 0; h < H && left > 0; h++) {
        left -= server_room(room, job, h, left);
    }
    if (left > 0) {
        return false;
    }
    for (int h = 0; h < H && s > 0; h++) {
        int here = server_room(room, job, h, s);
        if (here > 0) {
            berth__room_put(room, job, holding, h, 0, here);
            s -= here;
        }
    }
    return true;
}

/* A worker that needs several servers (gamma < 1), wherever it leaves room for them. */
static bool add_with_servers(berth__slot_room *room, const berth__job *job, berth__holding *holding, int servers) {
    for (int h = 0; h < room->cluster->n_machines; h++) {
        if (fits_machine(room, job, h, 1, 0)) {
            berth__room_put(room, job, holding, h, 1, 0);
            if (add_servers(room, job, holding, servers)) {
                return true;
            }
            berth__room_put(room, job, holding, h, -1, 0);
        }
    }
    return false;
}

bool berth__room_add(berth__slot_room *room, const berth__job *job, berth__holding *holding, int wanted) {
    int servers = berth__ps_needed(job, holding->workers + 1) - holding->servers;
    servers = servers > 0 ? servers : 0;
    if (!fits_quota(room, job, 1, servers)) {
        return false;
    }
    int count = 0;
    int machine = holding->machines > 0 ? own_machine(room, job, holding, 1, servers)
                                        : roomiest(room, job, wanted < 1 ? 1 : wanted, &count);
    if (machine < 0 && servers == 0) {
        machine = first_fit(room, job, 1, 0);
    }
    if (machine >= 0) {
        berth__room_put(room, job, holding, machine, 1, servers);
        return true;
    }
    return servers > 1    ? add_with_servers(room, job, holding, servers)
           : servers == 1 ? add_pair(room, job, holding, true) || add_pair(room, job, holding, false)
                          : false;
}

/* ---- many workers ---- */

int berth__useful_workers(const berth__job *job, const double *speed, double remaining, berth_locality locality) {
    if (!(speed[locality] > 0)) {
        return job->max_workers;
    }
    double n = ceil(remaining / speed[locality] * (1 - BERTH__PROGRESS / 4));
    return n < 1 ? 1 : n < job->max_workers ? (int)n : job->max_workers;
}

void berth__room_fill_count(berth__slot_room *room, const berth__job *job, int n, berth__holding *holding) {
    int count = 0, machine = roomiest(room, job, n, &count);
    if (count == n) {
        berth__room_put(room, job, holding, machine, n, berth__ps_needed(job, n));
    }
    while (holding->workers < n && berth__room_add(room, job, holding, n)) {
    }
}

void berth__room_fill(berth__slot_room *room, const berth__job *job, const double *speed, double remaining,
                      berth__holding *holding) {
    int useful[2];
    for (int locality = 0; locality < 2; locality++) {
        useful[locality] = berth__useful_workers(job, speed, remaining, (berth_locality)locality);
    }
    int alone = 0, machine = roomiest(room, job, useful[BERTH_INTERNAL], &alone);
    if (alone > 0) {
        berth__room_put(room, job, holding, machine, alone, berth__ps_needed(job, alone));
    }
    while (holding->workers < useful[berth__holding_locality(holding)] &&
           berth__room_add(room, job, holding, useful[BERTH_EXTERNAL])) {
    }
    double made = fmin(remaining, holding->workers * speed[berth__holding_locality(holding)]);
    if (alone > 0 && holding->machines > 1 && alone * speed[BERTH_INTERNAL] >= made) {
        berth__room_put_all(room, job, holding, true);
        berth__holding_empty(holding, room->cluster);
        berth__room_put(room, job, holding, machine, alone, berth__ps_needed(job, alone));
    }
}
