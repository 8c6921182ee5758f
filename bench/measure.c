/* Processes, pipes and resource usage are POSIX. */
#define _POSIX_C_SOURCE 200809L

#include "bench/measure.h"

#include "base/budget.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A sample lasts at least this, by repeated calls: far above the resolution of the clock. */
#define LEAST_SAMPLE_S 2e-3
/* So many samples are taken whatever the budget, if none takes longer than LONG_S. */
#define LEAST_REPEATS 3
#define LONG_S        1.0

void bench_add_figure(bench_figures *figures, const char *name, const char *unit, double value) {
    if (figures->n < BENCH_MOST_FIGURES) {
        bench_figure *figure = &figures->at[figures->n++];
        snprintf(figure->name, sizeof figure->name, "%s", name);
        snprintf(figure->unit, sizeof figure->unit, "%s", unit);
        figure->value = value;
    }
}

void bench_add_column(bench_comparison *comparison, const char *name, const char *unit) {
    if (comparison->n_columns < BENCH_MOST_COLUMNS) {
        int k = comparison->n_columns++;
        snprintf(comparison->column[k].name, sizeof comparison->column[k].name, "%s", name);
        snprintf(comparison->column[k].unit, sizeof comparison->column[k].unit, "%s", unit);
    }
}

bench_item *bench_add_item(bench_comparison *comparison, const char *name) {
    if (comparison->n_items == BENCH_MOST_ITEMS) {
        return NULL;
    }
    bench_item *item = &comparison->item[comparison->n_items++];
    snprintf(item->name, sizeof item->name, "%s", name);
    item->note[0] = '\0';
    for (int k = 0; k < BENCH_MOST_COLUMNS; k++) {
        item->value[k] = (double)NAN;
    }
    return item;
}

static double cpu_now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void bench_clock_pause(bench_clock *clock) {
    clock->elapsed_s += berth__now_s() - clock->since_s;
    clock->elapsed_cpu_s += cpu_now_s() - clock->since_cpu_s;
}

void bench_clock_resume(bench_clock *clock) {
    clock->since_cpu_s = cpu_now_s();
    clock->since_s = berth__now_s();
}

static double peak_bytes(void) {
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? 1024.0 * (double)usage.ru_maxrss : (double)NAN;
}

/* ---- one side: the run or its reference ---- */

typedef struct side {
    bool (*run)(void *state, bench_clock *clock);
    void *state;
    int calls; /* a sample */
    double factor;
} side;

/* One run, the mean of side->calls, into *wall_s and *cpu_s. False if it failed. */
static bool sample(side *s, double *wall_s, double *cpu_s) {
    *wall_s = *cpu_s = 0;
    for (int i = 0; i < s->calls; i++) {
        bench_clock clock = {.factor = 1, .share = 1};
        bench_clock_resume(&clock);
        if (!s->run(s->state, &clock)) {
            return false;
        }
        bench_clock_pause(&clock);
        s->factor = clock.factor;
        *wall_s += clock.elapsed_s * clock.factor / clock.share / s->calls;
        *cpu_s += clock.elapsed_cpu_s * clock.factor / clock.share / s->calls;
    }
    return true;
}

/* Warms up; finds how many calls make a sample. */
static bool calibrate(side *s) {
    s->calls = 1;
    for (;;) {
        double start = berth__now_s(), wall_s, cpu_s;
        if (!sample(s, &wall_s, &cpu_s)) {
            return false;
        }
        double taken = berth__now_s() - start;
        if (taken >= LEAST_SAMPLE_S || s->calls >= 1 << 20) {
            return true;
        }
        s->calls *= taken < LEAST_SAMPLE_S / 16 ? 8 : 2;
    }
}

/* ---- the child ---- */

static bool fail(bench_result *out, const char *what) {
    out->verdict = BENCH_FAILED;
    if (out->note[0] == '\0') {
        snprintf(out->note, sizeof out->note, "%s failed", what);
    }
    return false;
}

/* The first run is the sample. */
static bool take_one(side *run, bench_result *out) {
    run->calls = 1;
    out->n = 1;
    return sample(run, &out->run_s[0], &out->run_cpu_s[0]);
}

/* Run and reference in turns, each first every other time, so that noise and drift of the machine hit both. */
static bool take_samples(const bench_plan *plan, side *run, side *reference, bench_result *out) {
    double start = berth__now_s(), longest = 0;
    for (int i = 0; i < plan->repeats; i++) {
        double begin = berth__now_s();
        int least = longest < LONG_S ? LEAST_REPEATS : 1;
        if (i >= least && begin - start + longest > plan->budget_s) {
            break;
        }
        for (int turn = 0; turn < 2; turn++) {
            if (turn == i % 2 && !sample(run, &out->run_s[i], &out->run_cpu_s[i])) {
                return fail(out, "a run");
            }
            if (turn != i % 2 && out->has_reference &&
                !sample(reference, &out->reference_s[i], &out->reference_cpu_s[i])) {
                return fail(out, "a run of the reference");
            }
        }
        out->n = i + 1;
        longest = fmax(longest, berth__now_s() - begin);
    }
    return true;
}

static void measure_here(const bench_family *family, const bench_case *c, const bench_plan *plan, bench_result *out) {
    void *state = NULL;
    double start_bytes = peak_bytes(); /* the parent's pages among them */
    out->verdict = family->setup(c, &plan->settings, &state, out->note);
    if (out->verdict != BENCH_DONE) {
        return;
    }
    out->setup_bytes = peak_bytes() - start_bytes;
    side run = {.run = family->run, .state = state}, reference = {.run = family->run_reference, .state = state};
    bool going = (family->once ? take_one(&run, out) : calibrate(&run)) || fail(out, "the first run");
    out->run_bytes = peak_bytes() - start_bytes;
    if (going && family->setup_reference != NULL) {
        bench_verdict verdict = family->setup_reference(state, out->reference_note);
        out->has_reference = verdict == BENCH_DONE;
        if (verdict == BENCH_FAILED) {
            snprintf(out->note, sizeof out->note, "%s", out->reference_note);
            going = fail(out, "setting up the reference");
        }
        going = going && (!out->has_reference || calibrate(&reference) || fail(out, "the reference's first run"));
    }
    if (going && (family->once || take_samples(plan, &run, &reference, out))) {
        out->calls = run.calls;
        out->reference_calls = out->has_reference ? reference.calls : 0;
        out->extrapolated = out->has_reference && reference.factor > 1;
        if (family->quality != NULL) {
            family->quality(state, &out->figures);
        }
        if (family->compare != NULL) {
            family->compare(state, &out->comparison);
        }
    }
    family->teardown(state);
}

static bool write_all(int fd, const void *bytes, size_t length) {
    const char *at = bytes;
    while (length > 0) {
        ssize_t n = write(fd, at, length);
        if (n < 0 && errno != EINTR) {
            return false;
        }
        at += n > 0 ? n : 0;
        length -= n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* At most `room` bytes up to the end of the file; how many there were. */
static size_t read_all(int fd, void *bytes, size_t room) {
    size_t got = 0;
    for (ssize_t n; got < room && ((n = read(fd, (char *)bytes + got, room - got)) > 0 || (n < 0 && errno == EINTR));) {
        got += n > 0 ? (size_t)n : 0;
    }
    return got;
}

static int wait_for(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

void bench_measure(const bench_family *family, const bench_case *c, const bench_plan *plan, bench_result *out) {
    *out = (bench_result){.verdict = BENCH_FAILED, .instructions = (double)NAN};
    int ends[2];
    fflush(NULL); /* or the child would write again what is buffered */
    if (pipe(ends) != 0) {
        snprintf(out->note, sizeof out->note, "pipe: %s", strerror(errno));
        return;
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        measure_here(family, c, plan, out);
        fflush(NULL);
        _exit(write_all(ends[1], out, sizeof *out) ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0) {
        snprintf(out->note, sizeof out->note, "fork: %s", strerror(errno));
    } else {
        bool whole = read_all(ends[0], out, sizeof *out) == sizeof *out;
        int status = wait_for(child);
        if (!whole) {
            *out = (bench_result){.verdict = BENCH_FAILED, .instructions = (double)NAN};
            snprintf(out->note, sizeof out->note, "the process of the case ended early, by %s %d",
                     WIFSIGNALED(status) ? "signal" : "status",
                     WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        }
    }
    close(ends[0]);
}

/* ---- instructions ---- */

bool bench_find_program(const char *name) {
    const char *path = getenv("PATH");
    while (path != NULL && *path != '\0') {
        size_t length = strcspn(path, ":");
        char file[4096];
        int n = snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
        if (n > 0 && (size_t)n < sizeof file && access(file, X_OK) == 0) {
            return true;
        }
        path += length + (path[length] == ':');
    }
    return false;
}

/* What a counted process prints: the runs in its call. */
static const char share_label[] = "runs in the counted call: ";
static const char count_label[] = "Collected : "; /* callgrind's */

/* callgrind finds it by name, so it must stay a function of its own. */
bool bench_counted_run(const bench_family *family, void *state, bench_clock *clock);
__attribute__((noinline)) bool bench_counted_run(const bench_family *family, void *state, bench_clock *clock) {
    return family->run(state, clock);
}

bench_verdict bench_counted_process(const bench_family *family, const bench_case *c, const bench_settings *settings,
                                    char *note) {
    void *state = NULL;
    bench_verdict verdict = family->setup(c, settings, &state, note);
    if (verdict == BENCH_DONE) {
        bench_clock clock = {.factor = 1, .share = 1};
        if (!family->run(state, &clock) || !bench_counted_run(family, state, &clock)) {
            snprintf(note, BENCH_NOTE, "a run failed");
            verdict = BENCH_FAILED;
        }
        printf("%s%g\n", share_label, clock.share);
        family->teardown(state);
    }
    return verdict;
}

/* Both of the child's outputs go into the pipe. */
static pid_t start_callgrind(const char *self, const char *name, bool quick, int out) {
    pid_t child = fork();
    if (child == 0) {
        dup2(out, STDOUT_FILENO);
        dup2(out, STDERR_FILENO);
        execlp("valgrind", "valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null",
               "--toggle-collect=bench_counted_run", self, "--counted-run", name, quick ? "--quick" : (char *)NULL,
               (char *)NULL);
        _exit(127);
    }
    return child;
}

/* The number behind the label; NAN if it is not there. */
static double number_behind(const char *text, const char *label) {
    const char *found = strstr(text, label);
    return found == NULL ? (double)NAN : strtod(found + strlen(label), NULL);
}

double bench_count_instructions(const char *self, const bench_case *c, const bench_settings *settings, char *note) {
    char text[8192];
    int ends[2];
    double count = (double)NAN;
    fflush(NULL);
    if (pipe(ends) != 0) {
        snprintf(note, BENCH_NOTE, "pipe: %s", strerror(errno));
        return count;
    }
    pid_t child = start_callgrind(self, c->name, settings->quick, ends[1]);
    close(ends[1]);
    if (child > 0) {
        size_t length = read_all(ends[0], text, sizeof text - 1);
        text[length] = '\0';
        int status = wait_for(child);
        if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
            count = number_behind(text, count_label) / number_behind(text, share_label);
        }
    }
    close(ends[0]);
    if (isnan(count)) {
        snprintf(note, BENCH_NOTE, "callgrind gave no count");
    }
    return count;
}
