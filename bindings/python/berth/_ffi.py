"""The structures and functions of berth.h, as ctypes sees them; tests/test_ffi.py compares them with the header."""
from __future__ import annotations

from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_long, c_size_t, c_ubyte,
    c_uint32, c_uint64, c_void_p,
)


class Error(Structure):
    _fields_ = [
        ("status", c_int),
        ("line", c_long),
        ("column", c_long),
        ("where", c_char * 256),
        ("message", c_char * 512),
    ]


LogHook = CFUNCTYPE(None, c_void_p, c_int, c_char_p)
CancelHook = CFUNCTYPE(c_bool, c_void_p)
ProgressHook = CFUNCTYPE(None, c_void_p, c_double, c_double)


class Hooks(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("user", c_void_p),
        ("log", LogHook),
        ("cancel", CancelHook),
        ("progress", ProgressHook),
    ]


class Step(Structure):
    _fields_ = [
        ("delay_slots", c_double),
        ("value", c_double),
    ]


class Utility(Structure):
    _fields_ = [
        ("kind", c_int),
        ("theta", c_double * 3),
        ("value", c_double),
        ("deadline_slots", c_double),
        ("n_steps", c_size_t),
        ("steps", POINTER(Step)),
    ]


class Job(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("id", c_char_p),
        ("tenant", c_char_p),
        ("arrival_slot", c_int),
        ("epochs", c_double),
        ("samples", c_double),
        ("batch", c_double),
        ("max_workers", c_int),
        ("sample_seconds", c_double),
        ("gradient_mb", c_double),
        ("workers_per_ps", c_double),
        ("bandwidth_internal_mb_s", c_double),
        ("bandwidth_external_mb_s", c_double),
        ("all_reduce", c_bool),
        ("worker", POINTER(c_double)),
        ("ps", POINTER(c_double)),
        ("utility", Utility),
        ("n_allow", c_size_t),
        ("allow", POINTER(c_char_p)),
        ("n_avoid", c_size_t),
        ("avoid", POINTER(c_char_p)),
    ]


class Quota(Structure):
    _fields_ = [
        ("tenant", c_char_p),
        ("amount", POINTER(c_double)),
    ]


class Cluster(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("slot_seconds", c_double),
        ("horizon_slots", c_int),
        ("n_resources", c_size_t),
        ("resources", POINTER(c_char_p)),
        ("n_machines", c_size_t),
        ("machines", POINTER(c_char_p)),
        ("capacity", POINTER(c_double)),
        ("n_quotas", c_size_t),
        ("quotas", POINTER(Quota)),
    ]


class PriceBounds(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("n_resources", c_size_t),
        ("upper", POINTER(c_double)),
        ("lower", POINTER(c_double)),
        ("floor", c_double),
        ("floored", c_bool),
    ]


class Options(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("policy", c_char_p),
        ("solver", c_char_p),
        ("seed", c_uint64),
        ("threads", c_int),
        ("time_limit_s", c_double),
        ("levels", c_int),
        ("delta", c_double),
        ("favour", c_int),
        ("scale_rule", c_int),
        ("scale", c_double),
        ("trials", c_int),
        ("repair", c_bool),
        ("effort", c_int),
        ("fifo_workers", c_int),
        ("bound", c_int),
        ("bound_gap", c_double),
        ("dorm_fairness", c_double),
        ("dorm_adjust", c_double),
        ("restart_delay_s", c_double),
        ("noise", c_double),
        ("rolling", c_bool),
        ("backends", c_void_p),
        ("hooks", Hooks),
    ]


class Placement(Structure):
    _fields_ = [
        ("machine", c_int),
        ("workers", c_int),
        ("ps", c_int),
    ]


class SlotPlan(Structure):
    _fields_ = [
        ("slot", c_int),
        ("locality", c_int),
        ("samples", c_double),
        ("n_placements", c_size_t),
        ("placements", POINTER(Placement)),
    ]


class Decision(Structure):
    _fields_ = [
        ("number", c_uint64),
        ("admitted", c_bool),
        ("reason", c_char * 160),
        ("promised_slot", c_int),
        ("completion_slot", c_int),
        ("utility", c_double),
        ("payoff", c_double),
        ("payoff_bound", c_double),
        ("price_paid", c_double),
        ("n_slots", c_size_t),
        ("slots", POINTER(SlotPlan)),
    ]


class JobInfo(Structure):
    _fields_ = [
        ("number", c_uint64),
        ("gang", c_uint64),
        ("id", c_char_p),
        ("state", c_int),
        ("arrival_slot", c_int),
        ("promised_slot", c_int),
        ("completion_slot", c_int),
        ("samples", c_double),
        ("samples_left", c_double),
    ]


class Change(Structure):
    _fields_ = [
        ("number", c_uint64),
        ("id", c_char_p),
        ("kind", c_int),
        ("slot", c_int),
        ("promised_slot", c_int),
        ("completion_slot", c_int),
        ("reason", c_char * 160),
    ]


class Changes(Structure):
    _fields_ = [
        ("n", c_size_t),
        ("changes", POINTER(Change)),
        ("memory", c_void_p),
    ]


class MachineInfo(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("state", c_int),
        ("capacity", POINTER(c_double)),
        ("held_until", c_int),
    ]


class MachineReason(Structure):
    _fields_ = [
        ("machine", c_int),
        ("verdict", c_int),
        ("resource", c_int),
        ("needed", c_double),
        ("most", c_double),
        ("free_slots", c_int),
        ("price", c_double),
    ]


class LeastChange(Structure):
    _fields_ = [
        ("found", c_bool),
        ("value", c_double),
        ("completion_slot", c_int),
    ]


class Explanation(Structure):
    _fields_ = [
        ("admitted", c_bool),
        ("reason", c_char * 160),
        ("payoff", c_double),
        ("payoff_bound", c_double),
        ("n_machines", c_size_t),
        ("machines", POINTER(MachineReason)),
        ("later_slots", LeastChange),
        ("utility_factor", LeastChange),
        ("max_workers", LeastChange),
        ("dry_runs", c_int),
        ("memory", c_void_p),
    ]


class Statistics(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("submitted", c_uint64),
        ("admitted", c_uint64),
        ("rejected", c_uint64),
        ("proposed", c_uint64),
        ("abandoned", c_uint64),
        ("lapsed", c_uint64),
        ("completed", c_uint64),
        ("finished", c_uint64),
        ("cancelled", c_uint64),
        ("lost", c_uint64),
        ("moved", c_uint64),
        ("delayed", c_uint64),
        ("live", c_uint64),
        ("utility", c_double),
        ("utility_planned", c_double),
        ("machines_up", c_size_t),
        ("machines_draining", c_size_t),
        ("machines_down", c_size_t),
    ]


class Problem(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("name", c_char_p),
        ("maximize", c_bool),
        ("offset", c_double),
        ("n_vars", c_size_t),
        ("n_rows", c_size_t),
        ("var_names", POINTER(c_char_p)),
        ("cost", POINTER(c_double)),
        ("lower", POINTER(c_double)),
        ("upper", POINTER(c_double)),
        ("is_integer", POINTER(c_bool)),
        ("group", POINTER(c_int)),
        ("n_groups", c_size_t),
        ("group_names", POINTER(c_char_p)),
        ("row_names", POINTER(c_char_p)),
        ("row_lower", POINTER(c_double)),
        ("row_upper", POINTER(c_double)),
        ("row_start", POINTER(c_size_t)),
        ("var_of", POINTER(c_int)),
        ("value", POINTER(c_double)),
        ("crc32", c_uint32),
        ("memory", c_void_p),
    ]


class SolveOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("method", c_char_p),
        ("lp", c_char_p),
        ("seed", c_uint64),
        ("threads", c_int),
        ("time_limit_s", c_double),
        ("gap", c_double),
        ("lp_gap", c_double),
        ("delta", c_double),
        ("favour", c_int),
        ("scale_rule", c_int),
        ("scale", c_double),
        ("trials", c_int),
        ("repair", c_bool),
        ("group_separators", c_char_p),
        ("backends", c_void_p),
        ("hooks", Hooks),
    ]


class Promise(Structure):
    _fields_ = [
        ("holds", c_bool),
        ("scale", c_double),
        ("cost_factor", c_double),
        ("cover_factor", c_double),
        ("pack_factor", c_double),
        ("probability", c_double),
        ("why_not", c_char_p),
    ]


class Solution(Structure):
    _fields_ = [
        ("problem", c_char_p),
        ("problem_crc32", c_uint32),
        ("packing_covering", c_bool),
        ("why_not", c_char_p),
        ("method", c_char_p),
        ("found_by", c_char_p),
        ("lp", c_char_p),
        ("outcome", c_int),
        ("cost", c_double),
        ("bound", c_double),
        ("proof", c_int),
        ("node_bound", c_double),
        ("ratio", c_double),
        ("cover_min", c_double),
        ("pack_max", c_double),
        ("promise", Promise),
        ("seed", c_uint64),
        ("trials", c_int),
        ("delta", c_double),
        ("favour", c_char_p),
        ("scale", c_char_p),
        ("repair", c_bool),
        ("gap", c_double),
        ("lp_gap", c_double),
        ("n_vars", c_size_t),
        ("n_rows", c_size_t),
        ("x", POINTER(c_double)),
        ("relaxation", POINTER(c_double)),
        ("multipliers", POINTER(c_double)),
        ("ray", POINTER(c_double)),
        ("n_versions", c_size_t),
        ("version_names", POINTER(c_char_p)),
        ("version_numbers", POINTER(c_char_p)),
        ("memory", c_void_p),
    ]


PROTOTYPES = {
    "berth_version": (c_char_p,),
    "berth_status_name": (c_char_p, c_int),
    "berth_status_text": (c_char_p, c_int),
    "berth_hooks_init": (None, POINTER(Hooks)),
    "berth_backends_new": (c_int, POINTER(c_void_p)),
    "berth_backends_free": (None, c_void_p),
    "berth_add_backend": (c_int, c_void_p, c_void_p),
    "berth_backends_count": (c_size_t, c_void_p),
    "berth_backends_name": (c_char_p, c_void_p, c_size_t),
    "berth_backends_version": (c_char_p, c_void_p, c_size_t),
    "berth_backends_exact": (c_bool, c_void_p, c_size_t),
    "berth_glpk_backend": (c_void_p,),
    "berth_job_init": (None, POINTER(Job)),
    "berth_cluster_init": (None, POINTER(Cluster)),
    "berth_price_bounds_compute": (c_int, POINTER(Cluster), POINTER(Job), c_size_t, c_double, POINTER(PriceBounds),
        POINTER(Error)),
    "berth_price_bounds_clear": (None, POINTER(PriceBounds)),
    "berth_effort_name": (c_char_p, c_int),
    "berth_options_init": (None, POINTER(Options)),
    "berth_policy_names": (POINTER(c_char_p),),
    "berth_policy_about": (c_char_p, c_char_p),
    "berth_policy_promises": (c_bool, c_char_p),
    "berth_decision_free": (None, POINTER(Decision)),
    "berth_scheduler_new": (c_int, POINTER(Cluster), POINTER(PriceBounds), POINTER(Options), POINTER(c_void_p),
        POINTER(Error)),
    "berth_scheduler_free": (None, c_void_p),
    "berth_submit": (c_int, c_void_p, POINTER(Job), POINTER(POINTER(Decision)), POINTER(Error)),
    "berth_submit_batch": (c_int, c_void_p, c_int, c_size_t, POINTER(Job), POINTER(POINTER(Decision)), POINTER(Error)),
    "berth_submit_gang": (c_int, c_void_p, c_int, c_size_t, POINTER(Job), POINTER(POINTER(Decision)), POINTER(Error)),
    "berth_propose": (c_int, c_void_p, c_int, c_size_t, POINTER(Job), POINTER(POINTER(Decision)), POINTER(Error)),
    "berth_commit": (c_int, c_void_p, c_uint64, POINTER(Error)),
    "berth_abandon": (c_int, c_void_p, c_uint64, POINTER(Error)),
    "berth_what_if": (c_int, c_void_p, POINTER(Job), POINTER(POINTER(Decision)), POINTER(Error)),
    "berth_advance": (c_int, c_void_p, c_int, POINTER(Error)),
    "berth_now": (c_int, c_void_p),
    "berth_horizon": (c_int, c_void_p),
    "berth_finish": (c_int, c_void_p, c_uint64, POINTER(Error)),
    "berth_cancel": (c_int, c_void_p, c_uint64, POINTER(Error)),
    "berth_report_left": (c_int, c_void_p, c_uint64, c_double, POINTER(Error)),
    "berth_live_count": (c_size_t, c_void_p),
    "berth_live_job": (c_int, c_void_p, c_size_t, POINTER(JobInfo)),
    "berth_find_job": (c_bool, c_void_p, c_char_p, POINTER(c_uint64)),
    "berth_present_plan": (c_int, c_void_p, c_uint64, POINTER(POINTER(Decision)), POINTER(Error)),
    "berth_take_changes": (c_int, c_void_p, POINTER(Changes), POINTER(Error)),
    "berth_changes_clear": (None, POINTER(Changes)),
    "berth_resource_count": (c_size_t, c_void_p),
    "berth_resource_name": (c_char_p, c_void_p, c_int),
    "berth_machine_count": (c_size_t, c_void_p),
    "berth_machine": (c_int, c_void_p, c_int, POINTER(MachineInfo)),
    "berth_find_machine": (c_int, c_void_p, c_char_p),
    "berth_add_machine": (c_int, c_void_p, c_char_p, POINTER(c_double), POINTER(c_int), POINTER(Error)),
    "berth_drain_machine": (c_int, c_void_p, c_int, POINTER(Error)),
    "berth_fail_machine": (c_int, c_void_p, c_int, POINTER(Error)),
    "berth_resize_machine": (c_int, c_void_p, c_int, POINTER(c_double), POINTER(Error)),
    "berth_return_machine": (c_int, c_void_p, c_int, POINTER(Error)),
    "berth_price": (c_double, c_void_p, c_int, c_int, c_int),
    "berth_used": (c_double, c_void_p, c_int, c_int, c_int),
    "berth_capacity_value": (c_double, c_void_p, c_int, c_int, c_int, c_int),
    "berth_machine_verdict_text": (c_char_p, c_int),
    "berth_explain": (c_int, c_void_p, POINTER(Job), POINTER(POINTER(Explanation)), POINTER(Error)),
    "berth_explanation_free": (None, POINTER(Explanation)),
    "berth_scheduler_statistics": (c_int, c_void_p, POINTER(Statistics)),
    "berth_snapshot": (c_int, c_void_p, POINTER(POINTER(c_ubyte)), POINTER(c_size_t), POINTER(Error)),
    "berth_snapshot_free": (None, POINTER(c_ubyte)),
    "berth_restore": (c_int, POINTER(c_ubyte), c_size_t, POINTER(Options), POINTER(c_void_p), POINTER(Error)),
    "berth_problem_init": (None, POINTER(Problem)),
    "berth_solve_options_init": (None, POINTER(SolveOptions)),
    "berth_method_names": (POINTER(c_char_p),),
    "berth_method_about": (c_char_p, c_char_p),
    "berth_solve": (c_int, POINTER(Problem), POINTER(SolveOptions), POINTER(POINTER(Solution)), POINTER(Error)),
    "berth_solution_free": (None, POINTER(Solution)),
}
