/* The parts of schemas that say what a job is: entries of $defs. */
#ifndef BERTH_FORMATS_SCHEMA_JOB_H
#define BERTH_FORMATS_SCHEMA_JOB_H

#define BERTH__SCHEMA_AMOUNTS                                                                                          \
    "    \"amounts\": {\n"                                                                                             \
    "      \"type\": \"object\",\n"                                                                                    \
    "      \"description\": \"resource: amount; a missing resource is 0 (of a quota: unlimited)\",\n"                  \
    "      \"additionalProperties\": { \"type\": \"number\", \"minimum\": 0 }\n"                                       \
    "    },\n"

/* Entries "job" and "utility", the last. arrival: "        \"arrival_slot\",\n" if it is required, else "". */
#define BERTH__SCHEMA_JOB(arrival)                                                                                     \
    "    \"job\": {\n"                                                                                                 \
    "      \"type\": \"object\",\n"                                                                                    \
    "      \"properties\": {\n"                                                                                        \
    "        \"id\": { \"type\": \"string\", \"minLength\": 1 },\n"                                                    \
    "        \"tenant\": {\n"                                                                                          \
    "          \"type\": \"string\",\n"                                                                                \
    "          \"minLength\": 1,\n"                                                                                    \
    "          \"description\": \"whose quota, if there is one, the job falls under\"\n"                               \
    "        },\n"                                                                                                     \
    "        \"arrival_slot\": {\n"                                                                                    \
    "          \"type\": \"integer\",\n"                                                                               \
    "          \"minimum\": 0,\n"                                                                                      \
    "          \"description\": \"first slot in which it may run\"\n"                                                  \
    "        },\n"                                                                                                     \
    "        \"epochs\": { \"type\": \"number\", \"exclusiveMinimum\": 0 },\n"                                         \
    "        \"samples\": {\n"                                                                                         \
    "          \"type\": \"number\",\n"                                                                                \
    "          \"exclusiveMinimum\": 0,\n"                                                                             \
    "          \"description\": \"of one epoch\"\n"                                                                    \
    "        },\n"                                                                                                     \
    "        \"batch\": {\n"                                                                                           \
    "          \"type\": \"number\",\n"                                                                                \
    "          \"exclusiveMinimum\": 0,\n"                                                                             \
    "          \"description\": \"samples a worker processes between two pushes\"\n"                                   \
    "        },\n"                                                                                                     \
    "        \"max_workers\": {\n"                                                                                     \
    "          \"type\": \"integer\",\n"                                                                               \
    "          \"minimum\": 1,\n"                                                                                      \
    "          \"maximum\": 2147483647,\n"                                                                             \
    "          \"description\": \"in one slot; default: batch, rounded down\"\n"                                       \
    "        },\n"                                                                                                     \
    "        \"sample_seconds\": {\n"                                                                                  \
    "          \"type\": \"number\",\n"                                                                                \
    "          \"minimum\": 0,\n"                                                                                      \
    "          \"description\": \"compute time of one sample on one worker\"\n"                                        \
    "        },\n"                                                                                                     \
    "        \"gradient_mb\": {\n"                                                                                     \
    "          \"type\": \"number\",\n"                                                                                \
    "          \"minimum\": 0,\n"                                                                                      \
    "          \"description\": \"size of the gradients, and of the parameters, in 10^6 bytes\"\n"                     \
    "        },\n"                                                                                                     \
    "        \"workers_per_ps\": {\n"                                                                                  \
    "          \"type\": \"number\",\n"                                                                                \
    "          \"exclusiveMinimum\": 0,\n"                                                                             \
    "          \"description\": \"most workers that one parameter server serves; required unless ps is null\"\n"       \
    "        },\n"                                                                                                     \
    "        \"bandwidth_internal_mb_s\": {\n"                                                                         \
    "          \"type\": \"number\",\n"                                                                                \
    "          \"exclusiveMinimum\": 0,\n"                                                                             \
    "          \"description\": \"10^6 bytes a second, within a machine\"\n"                                           \
    "        },\n"                                                                                                     \
    "        \"bandwidth_external_mb_s\": {\n"                                                                         \
    "          \"type\": \"number\",\n"                                                                                \
    "          \"exclusiveMinimum\": 0,\n"                                                                             \
    "          \"description\": \"10^6 bytes a second, between machines\"\n"                                           \
    "        },\n"                                                                                                     \
    "        \"worker\": { \"description\": \"demand of one worker\", \"$ref\": \"#/$defs/amounts\" },\n"              \
    "        \"ps\": {\n"                                                                                              \
    "          \"description\": \"demand of one parameter server; null: all-reduce, no parameter servers\",\n"         \
    "          \"anyOf\": [{ \"$ref\": \"#/$defs/amounts\" }, { \"type\": \"null\" }]\n"                               \
    "        },\n"                                                                                                     \
    "        \"utility\": { \"$ref\": \"#/$defs/utility\" },\n"                                                        \
    "        \"allow\": {\n"                                                                                           \
    "          \"type\": \"array\",\n"                                                                                 \
    "          \"items\": { \"type\": \"string\", \"minLength\": 1 },\n"                                               \
    "          \"description\": \"globs of machine names; none: every machine\"\n"                                     \
    "        },\n"                                                                                                     \
    "        \"avoid\": {\n"                                                                                           \
    "          \"type\": \"array\",\n"                                                                                 \
    "          \"items\": { \"type\": \"string\", \"minLength\": 1 },\n"                                               \
    "          \"description\": \"globs of machine names that are excluded, also from allow\"\n"                       \
    "        }\n"                                                                                                      \
    "      },\n"                                                                                                       \
    "      \"required\": [\n"                                                                                          \
    "        \"id\",\n" arrival "        \"epochs\",\n"                                                                \
    "        \"samples\",\n"                                                                                           \
    "        \"batch\",\n"                                                                                             \
    "        \"sample_seconds\",\n"                                                                                    \
    "        \"gradient_mb\",\n"                                                                                       \
    "        \"bandwidth_internal_mb_s\",\n"                                                                           \
    "        \"bandwidth_external_mb_s\",\n"                                                                           \
    "        \"worker\",\n"                                                                                            \
    "        \"ps\",\n"                                                                                                \
    "        \"utility\"\n"                                                                                            \
    "      ],\n"                                                                                                       \
    "      \"patternProperties\": { \"^x_\": {} },\n"                                                                  \
    "      \"additionalProperties\": false,\n"                                                                         \
    "      \"if\": { \"properties\": { \"ps\": { \"type\": \"object\" } } },\n"                                        \
    "      \"then\": { \"required\": [\"workers_per_ps\"] },\n"                                                        \
    "      \"description\": \"work is epochs * samples; in a slot, each worker processes slot_seconds / "              \
    "(sample_seconds + workers_per_ps * 2 * gradient_mb / (batch * bandwidth)) samples, with the internal "            \
    "bandwidth if all workers and parameter servers of the slot are on one machine, the external one otherwise; "      \
    "without parameter servers (ps null) the factor workers_per_ps is 1\"\n"                                           \
    "    },\n"                                                                                                         \
    "    \"utility\": {\n"                                                                                             \
    "      \"description\": \"what completing the job earns, by the delay d = last slot with a worker - "              \
    "arrival_slot; never increasing\",\n"                                                                              \
    "      \"oneOf\": [\n"                                                                                             \
    "        {\n"                                                                                                      \
    "          \"description\": \"theta[0] / (1 + exp(theta[1] (d - theta[2])))\",\n"                                  \
    "          \"type\": \"object\",\n"                                                                                \
    "          \"properties\": {\n"                                                                                    \
    "            \"kind\": { \"const\": \"sigmoid\" },\n"                                                              \
    "            \"theta\": {\n"                                                                                       \
    "              \"type\": \"array\",\n"                                                                             \
    "              \"prefixItems\": [\n"                                                                               \
    "                { \"type\": \"number\", \"minimum\": 0 },\n"                                                      \
    "                { \"type\": \"number\", \"minimum\": 0 },\n"                                                      \
    "                { \"type\": \"number\" }\n"                                                                       \
    "              ],\n"                                                                                               \
    "              \"minItems\": 3,\n"                                                                                 \
    "              \"maxItems\": 3,\n"                                                                                 \
    "              \"description\": \"theta[0]: most it can earn; theta[1]: how sharply it falls; theta[2]: "          \
    "delay of half of theta[0]\"\n"                                                                                    \
    "            }\n"                                                                                                  \
    "          },\n"                                                                                                   \
    "          \"required\": [\"kind\", \"theta\"],\n"                                                                 \
    "          \"patternProperties\": { \"^x_\": {} },\n"                                                              \
    "          \"additionalProperties\": false\n"                                                                      \
    "        },\n"                                                                                                     \
    "        {\n"                                                                                                      \
    "          \"description\": \"value, whenever it completes within the horizon\",\n"                                \
    "          \"type\": \"object\",\n"                                                                                \
    "          \"properties\": {\n"                                                                                    \
    "            \"kind\": { \"const\": \"constant\" },\n"                                                             \
    "            \"value\": { \"type\": \"number\", \"minimum\": 0 }\n"                                                \
    "          },\n"                                                                                                   \
    "          \"required\": [\"kind\", \"value\"],\n"                                                                 \
    "          \"patternProperties\": { \"^x_\": {} },\n"                                                              \
    "          \"additionalProperties\": false\n"                                                                      \
    "        },\n"                                                                                                     \
    "        {\n"                                                                                                      \
    "          \"description\": \"value (1 - d / deadline_slots), 0 beyond deadline_slots\",\n"                        \
    "          \"type\": \"object\",\n"                                                                                \
    "          \"properties\": {\n"                                                                                    \
    "            \"kind\": { \"const\": \"linear\" },\n"                                                               \
    "            \"value\": { \"type\": \"number\", \"minimum\": 0 },\n"                                               \
    "            \"deadline_slots\": { \"type\": \"number\", \"exclusiveMinimum\": 0 }\n"                              \
    "          },\n"                                                                                                   \
    "          \"required\": [\"kind\", \"value\", \"deadline_slots\"],\n"                                             \
    "          \"patternProperties\": { \"^x_\": {} },\n"                                                              \
    "          \"additionalProperties\": false\n"                                                                      \
    "        },\n"                                                                                                     \
    "        {\n"                                                                                                      \
    "          \"description\": \"value if d <= deadline_slots, else 0\",\n"                                           \
    "          \"type\": \"object\",\n"                                                                                \
    "          \"properties\": {\n"                                                                                    \
    "            \"kind\": { \"const\": \"deadline\" },\n"                                                             \
    "            \"value\": { \"type\": \"number\", \"minimum\": 0 },\n"                                               \
    "            \"deadline_slots\": { \"type\": \"number\", \"minimum\": 0 }\n"                                       \
    "          },\n"                                                                                                   \
    "          \"required\": [\"kind\", \"value\", \"deadline_slots\"],\n"                                             \
    "          \"patternProperties\": { \"^x_\": {} },\n"                                                              \
    "          \"additionalProperties\": false\n"                                                                      \
    "        },\n"                                                                                                     \
    "        {\n"                                                                                                      \
    "          \"description\": \"value of the first pair [delay, value] with delay >= d, 0 after the last; "          \
    "delays increase, values do not\",\n"                                                                              \
    "          \"type\": \"object\",\n"                                                                                \
    "          \"properties\": {\n"                                                                                    \
    "            \"kind\": { \"const\": \"steps\" },\n"                                                                \
    "            \"table\": {\n"                                                                                       \
    "              \"type\": \"array\",\n"                                                                             \
    "              \"minItems\": 1,\n"                                                                                 \
    "              \"items\": {\n"                                                                                     \
    "                \"type\": \"array\",\n"                                                                           \
    "                \"prefixItems\": [\n"                                                                             \
    "                  { \"type\": \"number\", \"minimum\": 0 },\n"                                                    \
    "                  { \"type\": \"number\", \"minimum\": 0 }\n"                                                     \
    "                ],\n"                                                                                             \
    "                \"minItems\": 2,\n"                                                                               \
    "                \"maxItems\": 2,\n"                                                                               \
    "                \"description\": \"[delay, value]\"\n"                                                            \
    "              }\n"                                                                                                \
    "            }\n"                                                                                                  \
    "          },\n"                                                                                                   \
    "          \"required\": [\"kind\", \"table\"],\n"                                                                 \
    "          \"patternProperties\": { \"^x_\": {} },\n"                                                              \
    "          \"additionalProperties\": false\n"                                                                      \
    "        }\n"                                                                                                      \
    "      ]\n"                                                                                                        \
    "    }\n"

#endif
