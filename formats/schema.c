/* JSON Schemas (draft 2020-12) of the formats: what the readers of this room accept and its writers write. A schema
 * cannot say everything: order of names, references between files and sums are checked by the readers alone. */
#include <berth_io.h>

#include "formats/schema.h"

#include <string.h>

static const char timings_schema[] =
    "{\n"
    "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
    "  \"title\": \"berth-timings-1: where a run's time went\",\n"
    "  \"type\": \"object\",\n"
    "  \"properties\": {\n"
    "    \"format\": { \"const\": \"berth-timings-1\" },\n"
    "    \"instance\": { \"type\": \"string\", \"minLength\": 1 },\n"
    "    \"instance_crc32\": { \"type\": \"string\", \"pattern\": \"^[0-9a-fA-F]{8}$\" },\n"
    "    \"p50_us\": {\n"
    "      \"type\": [\"number\", \"null\"],\n"
    "      \"description\": \"median time of a decision, microseconds\"\n"
    "    },\n"
    "    \"p99_us\": {\n"
    "      \"type\": [\"number\", \"null\"],\n"
    "      \"description\": \"99th percentile, microseconds\"\n"
    "    },\n"
    "    \"max_us\": { \"type\": [\"number\", \"null\"], \"description\": \"longest, microseconds\" },\n"
    "    \"total_s\": { \"type\": [\"number\", \"null\"], \"description\": \"of the whole run\" },\n"
    "    \"phases\": {\n"
    "      \"type\": \"object\",\n"
    "      \"properties\": {\n"
    "        \"relaxation_s\": { \"type\": [\"number\", \"null\"] },\n"
    "        \"rounding_s\": { \"type\": [\"number\", \"null\"] },\n"
    "        \"schedule_s\": { \"type\": [\"number\", \"null\"] },\n"
    "        \"payoff_bound_s\": { \"type\": [\"number\", \"null\"] },\n"
    "        \"dual_bound_s\": { \"type\": [\"number\", \"null\"] }\n"
    "      },\n"
    "      \"required\": [],\n"
    "      \"patternProperties\": { \"^x_\": {} },\n"
    "      \"additionalProperties\": false,\n"
    "      \"description\": \"summed over threads\"\n"
    "    },\n"
    "    \"decisions\": {\n"
    "      \"type\": \"array\",\n"
    "      \"items\": {\n"
    "        \"type\": \"object\",\n"
    "        \"properties\": {\n"
    "          \"id\": { \"type\": \"string\", \"minLength\": 1 },\n"
    "          \"us\": { \"type\": [\"number\", \"null\"], \"description\": \"null: not decided\" }\n"
    "        },\n"
    "        \"required\": [\"id\", \"us\"],\n"
    "        \"patternProperties\": { \"^x_\": {} },\n"
    "        \"additionalProperties\": false\n"
    "      }\n"
    "    }\n"
    "  },\n"
    "  \"required\": [\n"
    "    \"format\",\n"
    "    \"instance\",\n"
    "    \"instance_crc32\",\n"
    "    \"p50_us\",\n"
    "    \"p99_us\",\n"
    "    \"max_us\",\n"
    "    \"total_s\",\n"
    "    \"phases\",\n"
    "    \"decisions\"\n"
    "  ],\n"
    "  \"patternProperties\": { \"^x_\": {} },\n"
    "  \"additionalProperties\": false\n"
    "}\n";

static const char report_schema[] =
    "{\n"
    "  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
    "  \"title\": \"berth-report-1: what the checker found\",\n"
    "  \"type\": \"object\",\n"
    "  \"properties\": {\n"
    "    \"format\": { \"const\": \"berth-report-1\" },\n"
    "    \"ok\": { \"type\": \"boolean\" },\n"
    "    \"violations\": { \"type\": \"integer\", \"minimum\": 0 },\n"
    "    \"utility\": { \"type\": [\"number\", \"null\"], \"description\": \"recomputed\" },\n"
    "    \"dual\": {\n"
    "      \"type\": [\"number\", \"null\"],\n"
    "      \"description\": \"re-evaluated from the certificate\"\n"
    "    },\n"
    "    \"ratio\": { \"type\": [\"number\", \"null\"], \"description\": \"dual / utility\" },\n"
    "    \"rules\": {\n"
    "      \"type\": \"object\",\n"
    "      \"description\": \"rule: how often it was evaluated\",\n"
    "      \"additionalProperties\": { \"type\": \"integer\", \"minimum\": 0 }\n"
    "    },\n"
    "    \"findings\": {\n"
    "      \"type\": \"array\",\n"
    "      \"items\": {\n"
    "        \"type\": \"object\",\n"
    "        \"properties\": {\n"
    "          \"violated\": { \"type\": \"boolean\", \"description\": \"false: a note\" },\n"
    "          \"rule\": { \"type\": \"string\" },\n"
    "          \"where\": { \"type\": \"string\" },\n"
    "          \"message\": { \"type\": \"string\" },\n"
    "          \"slack\": {\n"
    "            \"type\": [\"number\", \"null\"],\n"
    "            \"description\": \"by how much the rule holds; negative: violated\"\n"
    "          }\n"
    "        },\n"
    "        \"required\": [\"violated\", \"rule\", \"where\", \"message\", \"slack\"],\n"
    "        \"patternProperties\": { \"^x_\": {} },\n"
    "        \"additionalProperties\": false\n"
    "      }\n"
    "    }\n"
    "  },\n"
    "  \"required\": [\n"
    "    \"format\",\n"
    "    \"ok\",\n"
    "    \"violations\",\n"
    "    \"utility\",\n"
    "    \"dual\",\n"
    "    \"ratio\",\n"
    "    \"rules\",\n"
    "    \"findings\"\n"
    "  ],\n"
    "  \"patternProperties\": { \"^x_\": {} },\n"
    "  \"additionalProperties\": false\n"
    "}\n";

static const struct {
    const char *format, *text;
} schemas[] = {
    {"berth-jobs-1", berth__jobs_schema},
    {"berth-run-1", berth__run_schema},
    {"berth-certificate-1", berth__certificate_schema},
    {"berth-timings-1", timings_schema},
    {"berth-report-1", report_schema},
    {"berth-solution-1", berth__solution_schema},
    {"berth-mpc-1", berth__mpc_schema},
    {"berth-cohort-request-1", berth__cohort_request_schema},
    {"berth-cohort-1", berth__cohort_schema},
    {"berth-comparison-1", berth__comparison_schema},
    {"berth-profile-1", berth__goodput_profile_schema},
    {"berth-goodput-1", berth__goodput_schema},
    {"berth-allocation-1", berth__allocation_schema},
    {"berth-goodput-jobs-1", berth__goodput_jobs_schema},
    {"berth-goodput-run-1", berth__goodput_run_schema},
    {"berth-events-1", berth__events_schema},
    {"berth-replies-1", berth__replies_schema},
};

const char *berth_schema(const char *format) {
    for (size_t k = 0; format != NULL && k < sizeof schemas / sizeof schemas[0]; k++) {
        if (strcmp(schemas[k].format, format) == 0) {
            return schemas[k].text;
        }
    }
    return NULL;
}

const char *const *berth_schema_names(void) {
    static const char *const names[] = {"berth-jobs-1",        "berth-run-1",
                                        "berth-certificate-1", "berth-timings-1",
                                        "berth-report-1",      "berth-mpc-1",
                                        "berth-solution-1",    "berth-cohort-request-1",
                                        "berth-cohort-1",      "berth-comparison-1",
                                        "berth-profile-1",     "berth-goodput-1",
                                        "berth-allocation-1",  "berth-goodput-jobs-1",
                                        "berth-goodput-run-1", "berth-events-1",
                                        "berth-replies-1",     NULL};
    return names;
}
