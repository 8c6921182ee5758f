"""The structures and functions of berth_io.h, as ctypes sees them; tests/test_ffi.py compares them with the header."""
from __future__ import annotations

from ctypes import (
    POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p,
)

from ._ffi import Cluster, Error, Hooks, Job, Options, PriceBounds, Problem, Quota, SlotPlan, Solution


class MachineGroup(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("count", c_size_t),
        ("capacity", POINTER(c_double)),
    ]


class Instance(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("source", c_char_p),
        ("slot_seconds", c_double),
        ("horizon_slots", c_int),
        ("n_resources", c_size_t),
        ("resources", POINTER(c_char_p)),
        ("n_groups", c_size_t),
        ("groups", POINTER(MachineGroup)),
        ("n_machines", c_size_t),
        ("machines", POINTER(c_char_p)),
        ("machine_group", POINTER(c_int)),
        ("capacity", POINTER(c_double)),
        ("n_quotas", c_size_t),
        ("quotas", POINTER(Quota)),
        ("n_jobs", c_size_t),
        ("jobs", POINTER(Job)),
        ("price_upper", POINTER(c_double)),
        ("price_lower", POINTER(c_double)),
        ("price_floor", c_double),
        ("crc32", c_uint32),
        ("memory", c_void_p),
    ]


class RunJob(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("admitted", c_bool),
        ("outcome", c_int),
        ("reason", c_char_p),
        ("promised_slot", c_int),
        ("completion_slot", c_int),
        ("delay_slots", c_int),
        ("utility", c_double),
        ("payoff", c_double),
        ("payoff_bound", c_double),
        ("price_paid", c_double),
        ("n_slots", c_size_t),
        ("slots", POINTER(SlotPlan)),
    ]


class Truth(Structure):
    _fields_ = [
        ("speed", c_double),
        ("work", c_double),
    ]


class EstimationSummary(Structure):
    _fields_ = [
        ("early", c_size_t),
        ("late", c_size_t),
        ("unfinished", c_size_t),
        ("promises_kept", c_size_t),
        ("promises_broken", c_size_t),
        ("mean_overrun_slots", c_double),
        ("worst_overrun_slots", c_double),
    ]


class RunBounds(Structure):
    _fields_ = [
        ("dual", c_double),
        ("arrival_dual", c_double),
        ("lp", c_double),
        ("exact", c_double),
        ("best", c_double),
        ("ratio", c_double),
        ("void_because", c_char_p),
    ]


class Certificate(Structure):
    _fields_ = [
        ("n_classes", c_size_t),
        ("class_of_machine", POINTER(c_int)),
        ("prices", POINTER(c_double)),
    ]


class RoundingPromise(Structure):
    _fields_ = [
        ("scale", c_double),
        ("cost_factor", c_double),
        ("cover_factor", c_double),
        ("pack_factor", c_double),
        ("probability", c_double),
    ]


class RoundingSummary(Structure):
    _fields_ = [
        ("problems", c_double),
        ("solved", c_double),
        ("repaired", c_double),
        ("draws", c_double),
        ("guarantee_held", c_double),
        ("why_not", c_char_p),
        ("promise", RoundingPromise),
    ]


class PlacementSummary(Structure):
    _fields_ = [
        ("slots", c_double),
        ("proved", c_double),
        ("worst_gap", c_double),
        ("mean_gap", c_double),
    ]


class RunSummary(Structure):
    _fields_ = [
        ("jobs", c_size_t),
        ("admitted", c_size_t),
        ("completed", c_size_t),
        ("utility", c_double),
        ("mean_delay_slots", c_double),
        ("median_delay_slots", c_double),
        ("makespan_slots", c_int),
        ("utilisation", POINTER(c_double)),
    ]


class Run(Structure):
    _fields_ = [
        ("instance", c_char_p),
        ("instance_crc32", c_uint32),
        ("policy", c_char_p),
        ("seed", c_uint64),
        ("solver", c_char_p),
        ("levels", c_int),
        ("delta", c_double),
        ("favour", c_char_p),
        ("scale", c_char_p),
        ("trials", c_int),
        ("repair", c_bool),
        ("restart_delay_s", c_double),
        ("noise", c_double),
        ("effort", c_int),
        ("fifo_workers", c_int),
        ("dorm_fairness", c_double),
        ("dorm_adjust", c_double),
        ("stopped", c_bool),
        ("price_upper", POINTER(c_double)),
        ("price_lower", POINTER(c_double)),
        ("price_floor", c_double),
        ("price_floored", c_bool),
        ("price_oracle", c_bool),
        ("closed_form_ratio", c_double),
        ("closed_form_why_not", c_char_p),
        ("utility", c_double),
        ("bounds", RunBounds),
        ("certificate", POINTER(Certificate)),
        ("rounding", POINTER(RoundingSummary)),
        ("placement", POINTER(PlacementSummary)),
        ("truth", POINTER(Truth)),
        ("estimation", POINTER(EstimationSummary)),
        ("n_jobs", c_size_t),
        ("jobs", POINTER(RunJob)),
        ("summary", RunSummary),
        ("n_resources", c_size_t),
        ("n_versions", c_size_t),
        ("version_names", POINTER(c_char_p)),
        ("version_numbers", POINTER(c_char_p)),
        ("memory", c_void_p),
    ]


class ProblemReadOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("format", c_int),
        ("data", c_char_p),
        ("number", c_int),
        ("backends", c_void_p),
        ("hooks", Hooks),
    ]


class Finding(Structure):
    _fields_ = [
        ("violated", c_bool),
        ("rule", c_char * 32),
        ("where", c_char * 160),
        ("message", c_char * 320),
        ("slack", c_double),
    ]


class Report(Structure):
    _fields_ = [
        ("n_violations", c_size_t),
        ("n_findings", c_size_t),
        ("findings", POINTER(Finding)),
        ("n_rules", c_size_t),
        ("rule_names", POINTER(c_char_p)),
        ("rule_counts", POINTER(c_size_t)),
        ("utility", c_double),
        ("dual", c_double),
        ("ratio", c_double),
        ("memory", c_void_p),
    ]


class GeneratePdorsOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("machines", c_size_t),
        ("jobs", c_size_t),
        ("load", c_double),
        ("slots", c_int),
        ("arrivals", c_int),
        ("communication", c_double),
        ("heterogeneous", c_bool),
        ("max_workers", c_int),
        ("mix", c_int * 3),
    ]


PROTOTYPES = {
    "berth_file_format": (None, c_char_p, c_char_p),
    "berth_instance_read": (c_int, c_char_p, POINTER(POINTER(Instance)), POINTER(Error)),
    "berth_instance_parse": (c_int, c_char_p, c_size_t, POINTER(POINTER(Instance)), POINTER(Error)),
    "berth_instance_write": (c_int, POINTER(Instance), c_char_p, POINTER(Error)),
    "berth_instance_free": (None, POINTER(Instance)),
    "berth_instance_warnings": (None, POINTER(Instance), POINTER(Hooks)),
    "berth_instance_cluster": (None, POINTER(Instance), POINTER(Cluster)),
    "berth_instance_price_bounds": (c_int, POINTER(Instance), c_char_p, POINTER(PriceBounds), POINTER(Error)),
    "berth_run_online": (c_int, POINTER(Instance), POINTER(Options), POINTER(POINTER(Run)), c_void_p,
        POINTER(Error)),
    "berth_run_free": (None, POINTER(Run)),
    "berth_run_read": (c_int, c_char_p, POINTER(Instance), POINTER(POINTER(Run)), POINTER(Error)),
    "berth_run_write": (c_int, POINTER(Run), POINTER(Instance), c_char_p, c_char_p, POINTER(Error)),
    "berth_run_read_certificate": (c_int, POINTER(Run), POINTER(Instance), c_char_p, POINTER(Error)),
    "berth_problem_format_names": (POINTER(c_char_p),),
    "berth_problem_read_options_init": (None, POINTER(ProblemReadOptions)),
    "berth_problem_read": (c_int, c_char_p, POINTER(ProblemReadOptions), POINTER(POINTER(Problem)), POINTER(Error)),
    "berth_problem_parse": (c_int, c_char_p, c_size_t, POINTER(ProblemReadOptions), POINTER(POINTER(Problem)),
        POINTER(Error)),
    "berth_problem_write": (c_int, POINTER(Problem), c_int, c_char_p, POINTER(Error)),
    "berth_problem_free": (None, POINTER(Problem)),
    "berth_solution_read": (c_int, c_char_p, POINTER(Problem), POINTER(POINTER(Solution)), POINTER(Error)),
    "berth_solution_write": (c_int, POINTER(Solution), POINTER(Problem), c_char_p, POINTER(Error)),
    "berth_check": (c_int, POINTER(Instance), POINTER(Run), POINTER(Hooks), POINTER(POINTER(Report)), POINTER(Error)),
    "berth_check_solution": (c_int, POINTER(Problem), POINTER(Solution), POINTER(Hooks), POINTER(POINTER(Report)),
        POINTER(Error)),
    "berth_report_write": (c_int, POINTER(Report), c_char_p, POINTER(Error)),
    "berth_report_free": (None, POINTER(Report)),
    "berth_generate_pdors_options_init": (None, POINTER(GeneratePdorsOptions)),
    "berth_generate_pdors": (c_int, POINTER(GeneratePdorsOptions), POINTER(POINTER(Instance)), POINTER(Error)),
    "berth_schema": (c_char_p, c_char_p),
    "berth_schema_names": (POINTER(c_char_p),),
}
