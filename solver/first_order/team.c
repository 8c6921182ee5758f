/* Threads are POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "solver/first_order/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "base/alloc.h"

/* Looks at what it waits for so many times before it sleeps. */
enum { LOOKS = 2000, ITEMS_WORTH_A_PART = 1000, PARTS_PER_THREAD = 4 };

struct berth__team {
    int n_workers; /* threads besides the caller's */
    pthread_t *workers;
    pthread_mutex_t lock;
    pthread_cond_t start, done;
    /* The piece of work: written while none is going on, read by who has claimed a part of it. */
    berth__team_work *work;
    void *user;
    int parts;
    atomic_bool quit;
    atomic_ullong claim; /* number of the piece in the upper half, parts that nobody has claimed in the lower */
    atomic_int finished; /* parts */
};

/* Claiming goes by one compare-and-swap of both numbers, so a thread that comes late to a piece finds nothing left of
 * it and nobody needs to wait for threads that are not at work. */
enum { PIECE_SHIFT = 32 };
static const unsigned long long unclaimed_mask = 0xffffffffULL;

static inline void pause_briefly(void) {
#if defined(__GNUC__) && (defined(__x86_64__) || defined(__i386__))
    __builtin_ia32_pause();
#endif
}

static unsigned long long piece_of(unsigned long long claim) {
    return claim >> PIECE_SHIFT;
}

/* After the last part the next piece may be written at any time. */
static void finish_part(berth__team *team, int parts) {
    if (atomic_fetch_add(&team->finished, 1) + 1 == parts) {
        pthread_mutex_lock(&team->lock);
        pthread_cond_signal(&team->done);
        pthread_mutex_unlock(&team->lock);
    }
}

static void take_parts(berth__team *team) {
    unsigned long long claim = atomic_load(&team->claim);
    while ((claim & unclaimed_mask) > 0) {
        if (atomic_compare_exchange_weak(&team->claim, &claim, claim - 1)) {
            int parts = team->parts;
            team->work(team->user, (int)(claim & unclaimed_mask) - 1, parts);
            finish_part(team, parts);
            claim = atomic_load(&team->claim);
        }
    }
}

static bool is_new(berth__team *team, unsigned long long seen) {
    return piece_of(atomic_load(&team->claim)) != seen || atomic_load(&team->quit);
}

static void wait_for_piece(berth__team *team, unsigned long long seen) {
    for (int look = 0; look < LOOKS; look++) {
        if (is_new(team, seen)) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&team->lock);
    while (!is_new(team, seen)) {
        pthread_cond_wait(&team->start, &team->lock);
    }
    pthread_mutex_unlock(&team->lock);
}

static void *worker(void *opaque) {
    berth__team *team = opaque;
    unsigned long long seen = 0;
    while (!atomic_load(&team->quit)) {
        wait_for_piece(team, seen);
        seen = piece_of(atomic_load(&team->claim));
        take_parts(team);
    }
    return NULL;
}

static void wait_for_parts(berth__team *team) {
    for (int look = 0; look < LOOKS; look++) {
        if (atomic_load(&team->finished) == team->parts) {
            return;
        }
        pause_briefly();
    }
    pthread_mutex_lock(&team->lock);
    while (atomic_load(&team->finished) < team->parts) {
        pthread_cond_wait(&team->done, &team->lock);
    }
    pthread_mutex_unlock(&team->lock);
}

void berth__team_run(berth__team *team, berth__team_work *work, void *user, int parts) {
    if (team->n_workers == 0 || parts <= 1) {
        for (int part = 0; part < parts; part++) {
            work(user, part, parts);
        }
        return;
    }
    team->work = work;
    team->user = user;
    team->parts = parts;
    atomic_store(&team->finished, 0);
    unsigned long long piece = piece_of(atomic_load(&team->claim)) + 1;
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->claim, piece << PIECE_SHIFT | (unsigned long long)parts);
    pthread_cond_broadcast(&team->start);
    pthread_mutex_unlock(&team->lock);
    take_parts(team);
    wait_for_parts(team);
}

void berth__team_run_items(berth__team *team, berth__team_work *work, void *user, int n) {
    int most = PARTS_PER_THREAD * (team->n_workers + 1), parts = n / ITEMS_WORTH_A_PART;
    berth__team_run(team, work, user, parts < 1 ? 1 : parts > most ? most : parts);
}

berth__team *berth__team_new(int threads) {
    berth__team *team = BERTH__NEW_ARRAY(berth__team, 1);
    if (team == NULL) {
        return NULL;
    }
    team->workers = BERTH__NEW_ARRAY(pthread_t, (size_t)threads);
    if (team->workers == NULL) {
        berth__free(team);
        return NULL;
    }
    pthread_mutex_init(&team->lock, NULL);
    pthread_cond_init(&team->start, NULL);
    pthread_cond_init(&team->done, NULL);
    while (team->n_workers < threads - 1 && pthread_create(&team->workers[team->n_workers], NULL, worker, team) == 0) {
        team->n_workers++;
    }
    return team;
}

void berth__team_free(berth__team *team) {
    if (team == NULL) {
        return;
    }
    pthread_mutex_lock(&team->lock);
    atomic_store(&team->quit, true);
    pthread_cond_broadcast(&team->start);
    pthread_mutex_unlock(&team->lock);
    for (int k = 0; k < team->n_workers; k++) {
        pthread_join(team->workers[k], NULL);
    }
    pthread_cond_destroy(&team->start);
    pthread_cond_destroy(&team->done);
    pthread_mutex_destroy(&team->lock);
    berth__free(team->workers);
    berth__free(team);
}
