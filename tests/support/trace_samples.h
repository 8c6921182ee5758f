/* A small good trace of every kind, for tests that spoil them or run out of memory over them. */
#ifndef BERTH_TESTS_TRACE_SAMPLES_H
#define BERTH_TESTS_TRACE_SAMPLES_H

typedef struct trace_sample {
    const char *kind;
    const char *trace;
    const char *second; /* text of a second file; NULL: none */
} trace_sample;

enum { N_TRACE_SAMPLES = 13 };
extern const trace_sample trace_samples[N_TRACE_SAMPLES];

#endif
