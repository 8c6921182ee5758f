/* Any bytes as an instance file: parsed or refused with a message, never more. */
#include <berth_io.h>

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    berth_instance *instance = NULL;
    berth_error error;
    berth_status status = berth_instance_parse((const char *)bytes, length, &instance, &error);
    if ((status == BERTH_OK) != (instance != NULL)) {
        abort();
    }
    if (status == BERTH_OK) {
        berth_instance_warnings(instance, NULL);
    } else if (status == BERTH_E_INTERNAL || error.message[0] == '\0') {
        abort();
    }
    berth_instance_free(instance);
    return 0;
}
