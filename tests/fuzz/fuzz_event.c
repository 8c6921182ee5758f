/* Any bytes as a line that berth serve reads, and as a journal of its: understood or refused with a message. */
#include "formats/event_json.h"
#include "service/record.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length);

static void read_event(const uint8_t *bytes, size_t length) {
    static const char *const resources[] = {"gpu", "cpu"};
    const berth_instance instance = {.n_resources = 2, .resources = resources, .horizon_slots = 10};
    berth__event *event = berth__event_read((const char *)bytes, length, &instance);
    if (event == NULL) {
        return;
    }
    bool wrong = event->error.status != BERTH_OK;
    if (wrong ? event->error.message[0] == '\0' || event->error.status == BERTH_E_INTERNAL
              : event->name == NULL || event->n_jobs > length) {
        abort();
    }
    berth__event_free(event);
}

static void read_journal(const uint8_t *bytes, size_t length) {
    berth__segment segment;
    berth__record record = {.kind = BERTH__RECORD_EVENTS};
    berth_error error = {0};
    berth_status status = berth__segment_open(bytes, length, "journal", &segment, &error);
    while (status == BERTH_OK && record.kind != BERTH__RECORD_END) {
        size_t before = segment.at, offset = 0, n;
        status = berth__segment_next(&segment, &record, &error);
        for (uint32_t k = 0; status == BERTH_OK && record.kind == BERTH__RECORD_EVENTS && k < record.count; k++) {
            const char *line = berth__record_line(&record, &offset, &n);
            if (line == NULL || (const uint8_t *)line + n > bytes + length) {
                abort();
            }
        }
        if (status == BERTH_OK && record.kind != BERTH__RECORD_END && segment.at <= before) {
            abort();
        }
    }
    if (status != BERTH_OK && error.message[0] == '\0') {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t length) {
    read_event(bytes, length);
    read_journal(bytes, length);
    return 0;
}
