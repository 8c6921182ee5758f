/* Any bytes as a profile of goodput and as measurements: read or refused. A profile that is read has tables and writes
 * itself so that it reads back; measurements that are read and few have a fit. */
#include <berth_goodput.h>

#include <math.h>
#include <stdlib.h>

#include "tests/fuzz/as_file.h"

enum { REPLICAS = 4, MOST_FITTED = 8 };

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void require(bool holds) {
    if (!holds) {
        abort();
    }
}

static void use_profile(const berth_goodput_profile *profile, const char *path) {
    berth_goodput_point local[REPLICAS], spread[REPLICAS];
    berth_goodput_profile again;
    for (int mode = BERTH_BATCH_GRID; mode <= BERTH_BATCH_EXACT; mode++) {
        require(berth_goodput_table(profile, (berth_batch_mode)mode, REPLICAS, local, spread, NULL) == BERTH_OK);
        for (int k = 0; k < REPLICAS; k++) {
            require(isfinite(local[k].goodput) && isfinite(spread[k].goodput));
        }
    }
    require(berth_goodput_profile_write(profile, path, NULL) == BERTH_OK);
    require(berth_goodput_profile_read(path, &again, NULL) == BERTH_OK);
    require(again.gamma == profile->gamma && again.m0 == profile->m0 && again.grad_var == profile->grad_var);
}

static void read_both(const char *path) {
    berth_measurement *all = NULL;
    size_t n = 0;
    berth_goodput_profile profile;
    berth_error error = {0};
    berth_status status = berth_measurements_read(path, &all, &n, &error);
    require((status == BERTH_OK) == (all != NULL) && (status == BERTH_OK || error.message[0] != '\0'));
    if (status == BERTH_OK && n <= MOST_FITTED) {
        berth_goodput_fit *fit = NULL;
        require(berth_goodput_fit_new(all, n, NULL, &fit, NULL) == BERTH_OK);
        require(isfinite(fit->objective) && isfinite(fit->worst_error));
        berth_goodput_fit_free(fit);
    }
    berth_measurements_free(all);
    status = berth_goodput_profile_read(path, &profile, &error);
    require(status == BERTH_OK || error.message[0] != '\0');
    if (status == BERTH_OK) {
        use_profile(&profile, path);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    as_file(bytes, length, read_both);
    return 0;
}
