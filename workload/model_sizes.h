/* How large the parameters of well-known models are, by the names that traces call them. */
#ifndef BERTH_WORKLOAD_MODEL_SIZES_H
#define BERTH_WORKLOAD_MODEL_SIZES_H

/* Megabytes of parameters in single precision; NAN if the name is not known. Case and the characters "-_ " do not
 * matter, nor what follows in parentheses: "ResNet-50 (batch size 64)". */
double berth__model_size_mb(const char *name);

#endif
