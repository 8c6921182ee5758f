#include <berth.h>

void berth_problem_init(berth_problem *problem) {
    *problem = (berth_problem){.struct_size = sizeof *problem};
}
