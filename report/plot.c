/* Plots: what is asked for, and who draws it. */
#include <berth_io.h>

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/numeric.h"
#include "report/canvas.h"

enum { LEAST_PIXELS = 200, MOST_PIXELS = 10000, USUAL_WIDTH = 960 };

static const char *const plot_names[] = {
#define NAME(plot, name, about) name,
    BERTH_PLOT_TABLE(NAME)
#undef NAME
        NULL};
static const char *const plot_abouts[] = {
#define ABOUT(plot, name, about) about,
    BERTH_PLOT_TABLE(ABOUT)
#undef ABOUT
};

const char *const *berth_plot_names(void) {
    return plot_names;
}

const char *berth_plot_about(const char *name) {
    for (size_t k = 0; name != NULL && plot_names[k] != NULL; k++) {
        if (strcmp(plot_names[k], name) == 0) {
            return plot_abouts[k];
        }
    }
    return NULL;
}

void berth_plot_options_init(berth_plot_options *options) {
    if (options != NULL) {
        *options = (berth_plot_options){.struct_size = sizeof *options, .scale = 1};
    }
}

static berth_status check_options(const berth_plot_options *o, berth_error *error) {
    if (o->struct_size != sizeof *o) {
        return berth__fail(error, BERTH_E_ARGUMENT, "struct_size", "call berth_plot_options_init first");
    }
    if ((o->width != 0 && (o->width < LEAST_PIXELS || o->width > MOST_PIXELS)) ||
        (o->height != 0 && (o->height < LEAST_PIXELS || o->height > MOST_PIXELS))) {
        return berth__fail(error, BERTH_E_ARGUMENT, "size", "expected %d to %d pixels each way", LEAST_PIXELS,
                           MOST_PIXELS);
    }
    if (!(o->scale >= 1 && o->scale <= 4)) {
        return berth__fail(error, BERTH_E_ARGUMENT, "scale", "expected 1 to 4");
    }
    if ((int)o->format < 0 || o->format > BERTH_PICTURE_PNG) {
        return berth__fail(error, BERTH_E_ARGUMENT, "format", "there is no such format");
    }
    if ((int)o->theme < 0 || o->theme > BERTH_THEME_DARK) {
        return berth__fail(error, BERTH_E_ARGUMENT, "theme", "there is no such theme");
    }
    if (berth_metric_name(o->metric) == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, "metric", "there is no such metric");
    }
    return BERTH_OK;
}

void berth_plot_script_free(berth_plot_script *script) {
    if (script != NULL) {
        berth__arena_free(script->memory);
    }
}

/* What is drawn: a run, or (run NULL) a comparison. */
typedef struct subject {
    berth_plot plot;
    const berth_instance *instance;
    const berth_run *run;
    const berth_comparison *comparison;
} subject;

static berth_status draw(berth__canvas *canvas, const subject *s, berth_error *error) {
    switch (s->plot) {
    case BERTH_PLOT_GANTT:
        return berth__plot_gantt(canvas, s->instance, s->run, error);
    case BERTH_PLOT_UTILISATION:
        return berth__plot_utilisation(canvas, s->instance, s->run, error);
    case BERTH_PLOT_PRICES:
        return berth__plot_prices(canvas, s->instance, s->run, error);
    case BERTH_PLOT_POLICIES:
        return berth__plot_policies(canvas, s->comparison, error);
    case BERTH_N_PLOTS:
        break;
    }
    return berth__fail(error, BERTH_E_ARGUMENT, "plot", "there is no such plot");
}

static berth_status make(const subject *s, const berth_plot_options *options, berth_plot_script **out,
                         berth_error *error) {
    berth_plot_options usual;
    berth__c_locale locale;
    berth_plot_options_init(&usual);
    options = options != NULL ? options : &usual;
    berth_status status = check_options(options, error);
    if (status != BERTH_OK) {
        return status;
    }
    if (!berth__c_locale_enter(&locale)) {
        return berth__fail_memory(error);
    }
    berth__canvas canvas = {.options = options,
                            .colours = berth__colours_of(options->theme),
                            .width = options->width != 0 ? options->width : USUAL_WIDTH,
                            .height = options->height};
    status = draw(&canvas, s, error);
    if (status == BERTH_OK) {
        status = berth__canvas_finish(&canvas, out, error);
    }
    berth__canvas_clear(&canvas);
    berth__c_locale_leave(&locale);
    return status;
}

berth_status berth_plot_run(berth_plot plot, const berth_instance *instance, const berth_run *run,
                            const berth_plot_options *options, berth_plot_script **out, berth_error *error) {
    berth__error_clear(error);
    if (out == NULL || instance == NULL || run == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "instance, run and out must not be NULL");
    }
    *out = NULL;
    if ((int)plot < 0 || plot >= BERTH_PLOT_POLICIES) {
        return berth__fail(error, BERTH_E_ARGUMENT, "plot", "a run has no such plot");
    }
    if (run->instance_crc32 != instance->crc32 || run->n_jobs != instance->n_jobs) {
        return berth__fail(error, BERTH_E_MISMATCH, NULL, "the run is not one of this instance");
    }
    return make(&(subject){.plot = plot, .instance = instance, .run = run}, options, out, error);
}

berth_status berth_plot_comparison(const berth_comparison *comparison, const berth_plot_options *options,
                                   berth_plot_script **out, berth_error *error) {
    berth__error_clear(error);
    if (out == NULL || comparison == NULL) {
        return berth__fail(error, BERTH_E_ARGUMENT, NULL, "comparison and out must not be NULL");
    }
    *out = NULL;
    return make(&(subject){.plot = BERTH_PLOT_POLICIES, .comparison = comparison}, options, out, error);
}
