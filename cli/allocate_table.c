#include "cli/allocate_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NODES_WIDTH = 28, ID_WIDTH = 20 };

static void print_cluster(const berth_goodput_instance *instance) {
    double gpus = 0;
    for (size_t node = 0; node < instance->n_nodes; node++) {
        gpus += instance->gpus[node];
    }
    char types[48] = "";
    if (instance->n_types > 1) {
        snprintf(types, sizeof types, " of %zu types", instance->n_types);
    }
    cli_row("cluster", "%zu nodes, %.0f GPUs%s; %zu jobs", instance->n_nodes, gpus, types, instance->n_jobs);
}

static void print_bounds(const berth_allocation *a) {
    const char *whose = a->starve_last ? "no allocation that starves no more" : "no allocation";
    cli_row("F", "%.6g", a->fitness);
    if (!isnan(a->bound)) {
        cli_row("bound", "%.6g: %s has more, by the prices", a->bound, whose);
        cli_row("gap", "%.3g %%", 100 * (a->bound / a->fitness - 1));
    }
    if (a->outcome == BERTH_LIMIT && isnan(a->bound)) {
        cli_row("bound", "none: time was over before all options were listed");
    }
    if (!isnan(a->search_bound)) {
        cli_row("by search", "%.6g, without proof", a->search_bound);
    }
    if (a->starved > 0 || a->starved_bound > 0) {
        cli_row("starved", "%zu jobs; no allocation starves fewer than %zu", a->starved, a->starved_bound);
    }
}

/* "a-0:4 a-3:2", cut to the column's width. */
static void print_nodes(const berth_goodput_instance *instance, const berth_allocated_job *job) {
    char text[NODES_WIDTH + 1] = "", part[280], number[32];
    size_t used = 0;
    for (size_t k = 0; k < job->n_nodes; k++) {
        const size_t node = job->nodes[k].node;
        snprintf(number, sizeof number, "node-%zu", node);
        const int length =
            snprintf(part, sizeof part, "%s%.240s:%u", k > 0 ? " " : "",
                     instance->node_names != NULL ? instance->node_names[node] : number, job->nodes[k].gpus);
        const bool last = k + 1 == job->n_nodes;
        if (length < 0 || used + (size_t)length + (last ? 0 : 4) > NODES_WIDTH) {
            snprintf(text + used, sizeof text - used, " ...");
            break;
        }
        memcpy(text + used, part, (size_t)length + 1);
        used += (size_t)length;
    }
    cli_print_text(job->n_nodes > 0 ? text : "-", NODES_WIDTH);
}

static void print_job(const berth_goodput_instance *instance, const berth_allocated_job *job, const char *id) {
    fputs("  ", stdout);
    cli_print_text(id, ID_WIDTH);
    putchar(' ');
    print_nodes(instance, job);
    printf(" %5u", job->replicas);
    if (job->local > 0) {
        printf(" %8.0f", (double)job->replicas * job->local * (job->accumulation + 1.0));
    } else {
        printf(" %8s", "-");
    }
    if (job->n_nodes > 0) {
        printf(" %10.5g %9.4g%s\n", job->goodput, job->speedup, job->kept ? "  kept" : "");
    } else {
        printf(" %10s %9s\n", "-", "-");
    }
}

static void print_jobs(const berth_goodput_instance *instance, const berth_allocation *allocation, size_t most) {
    char number[32];
    printf("\n  %-*s %-*s %5s %8s %10s %9s\n", ID_WIDTH, "job", NODES_WIDTH, "nodes", "GPUs", "batch", "goodput",
           "speedup");
    for (size_t job = 0; job < allocation->n_jobs && job < most; job++) {
        snprintf(number, sizeof number, "job-%zu", job);
        print_job(instance, &allocation->jobs[job], instance->jobs[job].id != NULL ? instance->jobs[job].id : number);
    }
    if (allocation->n_jobs > most) {
        printf("  ... %zu more (--jobs shows all)\n", allocation->n_jobs - most);
    }
}

void cli_print_allocation(const berth_goodput_instance *instance, const berth_allocation *allocation, double seconds,
                          size_t most) {
    char time[32];
    size_t kept = 0;
    print_cluster(instance);
    cli_row("allocator", "%s", berth_allocator_name(allocation->allocator));
    cli_row("outcome", "%s", berth_outcome_name(allocation->outcome));
    if (allocation->outcome == BERTH_INFEASIBLE) {
        cli_row("reason", "what pinned jobs have does not fit");
    } else {
        for (size_t job = 0; job < allocation->n_jobs; job++) {
            kept += allocation->jobs[job].kept && allocation->jobs[job].n_nodes > 0;
        }
        print_bounds(allocation);
        cli_row("kept", "%zu jobs stay as they are", kept);
    }
    cli_row("time", "%s", cli_duration(time, seconds));
    if (allocation->outcome != BERTH_INFEASIBLE && allocation->n_jobs > 0) {
        print_jobs(instance, allocation, most);
    }
}
