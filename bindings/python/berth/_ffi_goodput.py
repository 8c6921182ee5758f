"""The structures and functions of berth_goodput.h, as ctypes sees them; tests/test_ffi.py compares them with the header."""
from __future__ import annotations

from ctypes import (
    POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_uint32, c_uint64, c_void_p,
)

from ._ffi import Error, Hooks
from ._ffi_io import Report


class GoodputProfile(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("alpha_c", c_double),
        ("beta_c", c_double),
        ("alpha_n", c_double),
        ("beta_n", c_double),
        ("alpha_r", c_double),
        ("beta_r", c_double),
        ("gamma", c_double),
        ("m0", c_double),
        ("max_batch", c_double),
        ("min_local", c_double),
        ("max_local", c_double),
        ("accumulation", c_bool),
        ("grad_sqr", c_double),
        ("grad_var", c_double),
    ]


class GoodputPoint(Structure):
    _fields_ = [
        ("goodput", c_double),
        ("local", c_uint32),
        ("accumulation", c_uint32),
        ("batch", c_double),
        ("step_s", c_double),
        ("throughput", c_double),
        ("efficiency", c_double),
    ]


class Measurement(Structure):
    _fields_ = [
        ("nodes", c_uint32),
        ("replicas", c_uint32),
        ("local", c_uint32),
        ("step_s", c_double),
        ("sync_s", c_double),
    ]


class GoodputFit(Structure):
    _fields_ = [
        ("alpha_c", c_double),
        ("beta_c", c_double),
        ("alpha_n", c_double),
        ("beta_n", c_double),
        ("alpha_r", c_double),
        ("beta_r", c_double),
        ("gamma", c_double),
        ("objective", c_double),
        ("step_error", c_double),
        ("worst_error", c_double),
        ("worst", c_size_t),
        ("warnings", c_uint),
        ("fitted", POINTER(c_double)),
        ("memory", c_void_p),
    ]


class NodeGpus(Structure):
    _fields_ = [
        ("node", c_size_t),
        ("gpus", c_uint32),
    ]


class GoodputOption(Structure):
    _fields_ = [
        ("gpu_type", c_size_t),
        ("nodes", c_uint32),
        ("gpus", c_uint32),
        ("value", c_double),
    ]


class GoodputJob(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("id", c_char_p),
        ("age_s", c_double),
        ("restarts", c_uint32),
        ("n_current", c_size_t),
        ("current", POINTER(NodeGpus)),
        ("min_replicas", c_uint32),
        ("max_replicas", c_uint32),
        ("pinned", c_bool),
        ("profile", POINTER(GoodputProfile)),
        ("typed", POINTER(GoodputProfile)),
        ("n_options", c_size_t),
        ("options", POINTER(GoodputOption)),
        ("attained_gpu_s", c_double),
        ("requested", c_uint32),
        ("remaining_samples", c_double),
    ]


class GoodputInstance(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("source", c_char_p),
        ("n_nodes", c_size_t),
        ("gpus", POINTER(c_uint32)),
        ("gpu_type", POINTER(c_size_t)),
        ("n_types", c_size_t),
        ("node_names", POINTER(c_char_p)),
        ("type_names", POINTER(c_char_p)),
        ("n_jobs", c_size_t),
        ("jobs", POINTER(GoodputJob)),
        ("p", c_double),
        ("fair", c_int),
        ("restart_s", c_double),
        ("rules", c_int),
        ("round_s", c_double),
        ("lambda_none", c_double),
        ("crc32", c_uint32),
        ("memory", c_void_p),
    ]


class AllocateOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("allocator", c_int),
        ("mode", c_int),
        ("solver", c_char_p),
        ("starve_last", c_bool),
        ("prove", c_bool),
        ("seed", c_uint64),
        ("time_limit_s", c_double),
        ("backends", c_void_p),
        ("hooks", Hooks),
    ]


class AllocatedJob(Structure):
    _fields_ = [
        ("n_nodes", c_size_t),
        ("nodes", POINTER(NodeGpus)),
        ("replicas", c_uint32),
        ("local", c_uint32),
        ("accumulation", c_uint32),
        ("goodput", c_double),
        ("speedup", c_double),
        ("kept", c_bool),
    ]


class Allocation(Structure):
    _fields_ = [
        ("outcome", c_int),
        ("n_jobs", c_size_t),
        ("jobs", POINTER(AllocatedJob)),
        ("fitness", c_double),
        ("bound", c_double),
        ("search_bound", c_double),
        ("ratio", c_double),
        ("starved", c_size_t),
        ("starved_bound", c_size_t),
        ("prices", POINTER(c_double)),
        ("starve_price", c_double),
        ("serve_prices", POINTER(c_double)),
        ("n_types", c_size_t),
        ("allocator", c_int),
        ("mode", c_int),
        ("p", c_double),
        ("seed", c_uint64),
        ("starve_last", c_bool),
        ("stopped", c_bool),
        ("node_level", c_bool),
        ("n_sizes", c_size_t),
        ("local_prices", POINTER(c_double)),
        ("spread_prices", POINTER(c_double)),
        ("memory", c_void_p),
    ]


class GenerateGoodputOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("nodes", c_size_t),
        ("gpus", c_uint32),
        ("types", c_size_t),
        ("jobs", c_size_t),
        ("warm", c_double),
        ("pinned", c_double),
        ("p", c_double),
    ]


class MeasuredPlacement(Structure):
    _fields_ = [
        ("nodes", c_uint32),
        ("replicas", c_uint32),
        ("gpus", POINTER(c_uint32)),
        ("n", c_size_t),
        ("local", POINTER(c_uint32)),
        ("step_s", POINTER(c_double)),
        ("sync_s", POINTER(c_double)),
    ]


class MeasuredTraining(Structure):
    _fields_ = [
        ("batch", c_double),
        ("progress", POINTER(c_double)),
        ("iterations", POINTER(c_double)),
        ("grad_sqr", POINTER(c_double)),
        ("grad_var", POINTER(c_double)),
    ]


class Application(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("m0", c_double),
        ("max_batch", c_double),
        ("min_local", c_double),
        ("max_local", c_double),
        ("accumulation", c_bool),
        ("batch", c_double),
        ("max_replicas", c_uint32),
        ("epochs", c_size_t),
        ("n_placements", c_size_t),
        ("placements", POINTER(MeasuredPlacement)),
        ("n_trainings", c_size_t),
        ("trainings", POINTER(MeasuredTraining)),
    ]


class TrainingJob(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("submit_s", c_double),
        ("application", c_size_t),
        ("replicas", c_uint32),
        ("batch", c_double),
    ]


class GoodputWorkload(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("source", c_char_p),
        ("n_nodes", c_size_t),
        ("gpus", POINTER(c_uint32)),
        ("gpu_type", POINTER(c_size_t)),
        ("n_types", c_size_t),
        ("speed", POINTER(c_double)),
        ("node_names", POINTER(c_char_p)),
        ("type_names", POINTER(c_char_p)),
        ("round_s", c_double),
        ("restart_s", c_double),
        ("tick_s", c_double),
        ("n_applications", c_size_t),
        ("applications", POINTER(Application)),
        ("n_jobs", c_size_t),
        ("jobs", POINTER(TrainingJob)),
        ("crc32", c_uint32),
        ("memory", c_void_p),
    ]


class GoodputRunOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("policy", c_int),
        ("demote_gpu_s", c_double),
        ("horizon_s", c_double),
        ("allocator", c_int),
        ("mode", c_int),
        ("p", c_double),
        ("seed", c_uint64),
        ("time_limit_s", c_double),
        ("backends", c_void_p),
        ("hooks", Hooks),
    ]


class GoodputSpan(Structure):
    _fields_ = [
        ("at_s", c_double),
        ("n_nodes", c_size_t),
        ("nodes", POINTER(NodeGpus)),
        ("placed", c_bool),
        ("local", c_uint32),
        ("accumulation", c_uint32),
    ]


class TrainedJob(Structure):
    _fields_ = [
        ("start_s", c_double),
        ("completion_s", c_double),
        ("restarts", c_uint32),
        ("attained_gpu_s", c_double),
        ("alone_s", c_double),
        ("fairness", c_double),
        ("n_spans", c_size_t),
        ("spans", POINTER(GoodputSpan)),
    ]


class GoodputRun(Structure):
    _fields_ = [
        ("workload", c_char_p),
        ("workload_crc32", c_uint32),
        ("policy", c_char_p),
        ("allocator", c_char_p),
        ("batches", c_char_p),
        ("p", c_double),
        ("demote_gpu_s", c_double),
        ("horizon_s", c_double),
        ("seed", c_uint64),
        ("stopped", c_bool),
        ("rounds", c_size_t),
        ("end_s", c_double),
        ("n_jobs", c_size_t),
        ("jobs", POINTER(TrainedJob)),
        ("completed", c_size_t),
        ("mean_s", c_double),
        ("median_s", c_double),
        ("p99_s", c_double),
        ("makespan_s", c_double),
        ("mean_fairness", c_double),
        ("worst_fairness", c_double),
        ("unfair", c_double),
        ("restarts", c_uint64),
        ("gpu_s", c_double),
        ("utilisation", c_double),
        ("memory", c_void_p),
    ]


PROTOTYPES = {
    "berth_goodput_profile_init": (None, POINTER(GoodputProfile)),
    "berth_goodput_at": (c_int, POINTER(GoodputProfile), c_uint32, c_uint32, c_uint32, c_uint32,
        POINTER(GoodputPoint), POINTER(Error)),
    "berth_goodput_best": (c_int, POINTER(GoodputProfile), c_int, c_uint32, c_uint32, POINTER(GoodputPoint),
        POINTER(Error)),
    "berth_goodput_table": (c_int, POINTER(GoodputProfile), c_int, c_uint32, POINTER(GoodputPoint),
        POINTER(GoodputPoint), POINTER(Error)),
    "berth_goodput_fit_new": (c_int, POINTER(Measurement), c_size_t, POINTER(Hooks), POINTER(POINTER(GoodputFit)),
        POINTER(Error)),
    "berth_goodput_fit_free": (None, POINTER(GoodputFit)),
    "berth_goodput_job_init": (None, POINTER(GoodputJob)),
    "berth_goodput_instance_init": (None, POINTER(GoodputInstance)),
    "berth_allocate_options_init": (None, POINTER(AllocateOptions)),
    "berth_allocator_name": (c_char_p, c_int),
    "berth_allocate": (c_int, POINTER(GoodputInstance), POINTER(AllocateOptions), POINTER(POINTER(Allocation)),
        POINTER(Error)),
    "berth_allocation_free": (None, POINTER(Allocation)),
    "berth_goodput_profile_read": (c_int, c_char_p, POINTER(GoodputProfile), POINTER(Error)),
    "berth_goodput_profile_write": (c_int, POINTER(GoodputProfile), c_char_p, POINTER(Error)),
    "berth_measurements_read": (c_int, c_char_p, POINTER(POINTER(Measurement)), POINTER(c_size_t), POINTER(Error)),
    "berth_measurements_free": (None, POINTER(Measurement)),
    "berth_goodput_instance_read": (c_int, c_char_p, POINTER(POINTER(GoodputInstance)), POINTER(Error)),
    "berth_goodput_instance_parse": (c_int, c_char_p, c_size_t, POINTER(POINTER(GoodputInstance)), POINTER(Error)),
    "berth_goodput_instance_write": (c_int, POINTER(GoodputInstance), c_char_p, POINTER(Error)),
    "berth_goodput_instance_free": (None, POINTER(GoodputInstance)),
    "berth_generate_goodput_options_init": (None, POINTER(GenerateGoodputOptions)),
    "berth_generate_goodput": (c_int, POINTER(GenerateGoodputOptions), POINTER(POINTER(GoodputInstance)),
        POINTER(Error)),
    "berth_allocation_read": (c_int, c_char_p, POINTER(GoodputInstance), POINTER(POINTER(Allocation)), POINTER(Error)),
    "berth_allocation_write": (c_int, POINTER(Allocation), POINTER(GoodputInstance), c_char_p, POINTER(Error)),
    "berth_check_allocation": (c_int, POINTER(GoodputInstance), POINTER(Allocation), POINTER(Hooks),
        POINTER(POINTER(Report)), POINTER(Error)),
    "berth_goodput_workload_init": (None, POINTER(GoodputWorkload)),
    "berth_goodput_run_options_init": (None, POINTER(GoodputRunOptions)),
    "berth_goodput_policy_name": (c_char_p, c_int),
    "berth_goodput_policy_names": (POINTER(c_char_p),),
    "berth_goodput_simulate": (c_int, POINTER(GoodputWorkload), POINTER(GoodputRunOptions),
        POINTER(POINTER(GoodputRun)), POINTER(Error)),
    "berth_goodput_run_free": (None, POINTER(GoodputRun)),
    "berth_goodput_workload_read": (c_int, c_char_p, POINTER(POINTER(GoodputWorkload)), POINTER(Error)),
    "berth_goodput_workload_write": (c_int, POINTER(GoodputWorkload), c_char_p, POINTER(Error)),
    "berth_goodput_workload_free": (None, POINTER(GoodputWorkload)),
    "berth_goodput_import": (c_int, c_char_p, c_char_p, c_size_t, c_uint32, POINTER(POINTER(GoodputWorkload)),
        POINTER(Error)),
    "berth_goodput_run_read": (c_int, c_char_p, POINTER(GoodputWorkload), POINTER(POINTER(GoodputRun)), POINTER(Error)),
    "berth_goodput_run_write": (c_int, POINTER(GoodputRun), POINTER(GoodputWorkload), c_char_p, POINTER(Error)),
    "berth_check_goodput_run": (c_int, POINTER(GoodputWorkload), POINTER(GoodputRun), POINTER(Hooks),
        POINTER(POINTER(Report)), POINTER(Error)),
}
