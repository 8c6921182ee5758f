"""The structures and functions of berth_cohort.h, as ctypes sees them; tests/test_ffi.py compares them with the header."""
from __future__ import annotations

from ctypes import (
    CFUNCTYPE, POINTER, Structure, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint32, c_uint64, c_void_p,
)

from ._ffi import Error, Hooks
from ._ffi_io import Report


class CohortSizeOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("deviation", c_double),
        ("range", c_double),
        ("clients", c_size_t),
        ("confidence", c_double),
        ("categories", c_size_t),
        ("overcommit", c_double),
    ]


class CohortData(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("n_clients", c_size_t),
        ("n_categories", c_size_t),
        ("row_start", POINTER(c_size_t)),
        ("category", POINTER(c_uint32)),
        ("count", POINTER(c_uint32)),
        ("ms_per_sample", POINTER(c_double)),
        ("bandwidth_kbps", POINTER(c_double)),
        ("clients", POINTER(c_char_p)),
        ("categories", POINTER(c_char_p)),
        ("memory", c_void_p),
    ]


class CohortRequest(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("requests", POINTER(c_uint64)),
        ("representative", c_uint64),
        ("n_all", c_size_t),
        ("all", POINTER(c_size_t)),
        ("exact", c_bool),
        ("budget", c_size_t),
        ("client_cap", c_uint64),
        ("choose_eligible", c_bool),
        ("n_eligible", c_size_t),
        ("eligible", POINTER(c_size_t)),
        ("model_kbit", c_double),
        ("deadline_s", c_double),
        ("slack", c_double),
        ("objective", c_int),
        ("memory", c_void_p),
    ]


class CohortOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("solver", c_char_p),
        ("time_limit_s", c_double),
        ("effort", c_double),
        ("backends", c_void_p),
        ("hooks", Hooks),
    ]


class CohortParticipant(Structure):
    _fields_ = [
        ("client", c_size_t),
        ("duration_s", c_double),
        ("n_entries", c_size_t),
        ("category", POINTER(c_uint32)),
        ("samples", POINTER(c_uint32)),
    ]


class Cohort(Structure):
    _fields_ = [
        ("outcome", c_int),
        ("objective", c_int),
        ("n_clients", c_size_t),
        ("n_categories", c_size_t),
        ("requests", POINTER(c_uint64)),
        ("n_participants", c_size_t),
        ("participants", POINTER(CohortParticipant)),
        ("duration_s", c_double),
        ("bound_s", c_double),
        ("search_bound_s", c_double),
        ("participants_bound", c_size_t),
        ("search_participants", c_size_t),
        ("ratio", c_double),
        ("prices", POINTER(c_double)),
        ("certificate_deadline_s", c_double),
        ("reason", c_int),
        ("missing", POINTER(c_uint64)),
        ("enough_deadline_s", c_double),
        ("enough_budget", c_size_t),
        ("stopped", c_bool),
        ("solver", c_char_p),
        ("memory", c_void_p),
    ]


class SelectorOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("exploration", c_double),
        ("exploration_decay", c_double),
        ("exploration_min", c_double),
        ("alpha", c_double),
        ("clip", c_double),
        ("cut_off", c_double),
        ("overcommit", c_double),
        ("blacklist_rounds", c_size_t),
        ("fairness", c_double),
        ("percentile", c_double),
        ("pacer_delta", c_double),
        ("pacer_step", c_size_t),
    ]


class SelectorResult(Structure):
    _fields_ = [
        ("samples", c_uint64),
        ("mean_squared_loss", c_double),
        ("duration_s", c_double),
    ]


class Choice(Structure):
    _fields_ = [
        ("client", c_size_t),
        ("kind", c_int),
        ("weight", c_double),
    ]


class Selection(Structure):
    _fields_ = [
        ("round", c_size_t),
        ("n", c_size_t),
        ("choices", POINTER(Choice)),
        ("n_exploited", c_size_t),
        ("n_explored", c_size_t),
        ("n_recalled", c_size_t),
        ("n_available", c_size_t),
        ("n_blacklisted", c_size_t),
        ("exploration", c_double),
        ("percentile", c_double),
        ("preferred_duration_s", c_double),
        ("memory", c_void_p),
    ]


class SelectorState(Structure):
    _fields_ = [
        ("round", c_size_t),
        ("n_clients", c_size_t),
        ("n_reported", c_size_t),
        ("n_blacklisted", c_size_t),
        ("exploration", c_double),
        ("percentile", c_double),
        ("utility", c_double * 2),
    ]


class SelectorClient(Structure):
    _fields_ = [
        ("id", c_char_p),
        ("declared_s", c_double),
        ("utility", c_double),
        ("duration_s", c_double),
        ("last_round", c_size_t),
        ("selections", c_size_t),
        ("blacklisted", c_bool),
    ]


SelectedHook = CFUNCTYPE(c_bool, c_void_p, c_void_p, POINTER(Selection))


class CohortReadOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("profiles", c_char_p),
        ("default_ms_per_sample", c_double),
        ("default_bandwidth_kbps", c_double),
        ("hooks", Hooks),
    ]


class GenerateCohortOptions(Structure):
    _fields_ = [
        ("struct_size", c_size_t),
        ("seed", c_uint64),
        ("clients", c_size_t),
        ("categories", c_size_t),
        ("per_client", c_size_t),
        ("median_count", c_double),
        ("request_share", c_double),
        ("budget_share", c_double),
    ]


PROTOTYPES = {
    "berth_cohort_size_options_init": (None, POINTER(CohortSizeOptions)),
    "berth_cohort_size": (c_int, POINTER(CohortSizeOptions), POINTER(c_size_t), POINTER(c_double), POINTER(Error)),
    "berth_cohort_sample": (c_int, c_size_t, c_size_t, c_uint64, POINTER(c_size_t), POINTER(Error)),
    "berth_cohort_data_init": (None, POINTER(CohortData)),
    "berth_cohort_request_init": (None, POINTER(CohortRequest)),
    "berth_cohort_options_init": (None, POINTER(CohortOptions)),
    "berth_cohort_reason_name": (c_char_p, c_int),
    "berth_cohort_pick": (c_int, POINTER(CohortData), POINTER(CohortRequest), POINTER(CohortOptions),
        POINTER(POINTER(Cohort)), POINTER(Error)),
    "berth_cohort_free": (None, POINTER(Cohort)),
    "berth_selector_options_init": (None, POINTER(SelectorOptions)),
    "berth_selector_new": (c_int, POINTER(SelectorOptions), POINTER(c_void_p), POINTER(Error)),
    "berth_selector_free": (None, c_void_p),
    "berth_selector_register": (c_int, c_void_p, c_char_p, c_double, POINTER(c_size_t), POINTER(Error)),
    "berth_selector_declare": (c_int, c_void_p, c_size_t, c_double, POINTER(Error)),
    "berth_selector_report": (c_int, c_void_p, c_size_t, POINTER(SelectorResult), POINTER(Error)),
    "berth_selector_select": (c_int, c_void_p, c_size_t, POINTER(c_size_t), c_size_t, POINTER(POINTER(Selection)),
        POINTER(Error)),
    "berth_selection_free": (None, POINTER(Selection)),
    "berth_selector_present": (None, c_void_p, POINTER(SelectorState)),
    "berth_selector_present_client": (c_int, c_void_p, c_size_t, POINTER(SelectorClient), POINTER(Error)),
    "berth_selector_snapshot": (c_int, c_void_p, c_void_p, c_size_t, POINTER(c_size_t), POINTER(Error)),
    "berth_selector_restore": (c_int, c_void_p, c_size_t, POINTER(c_void_p), POINTER(Error)),
    "berth_cohort_read_options_init": (None, POINTER(CohortReadOptions)),
    "berth_cohort_data_read": (c_int, c_char_p, POINTER(CohortReadOptions), POINTER(POINTER(CohortData)),
        POINTER(Error)),
    "berth_cohort_data_write": (c_int, POINTER(CohortData), c_char_p, c_char_p, POINTER(Error)),
    "berth_cohort_data_free": (None, POINTER(CohortData)),
    "berth_cohort_request_read": (c_int, c_char_p, POINTER(CohortData), POINTER(POINTER(CohortRequest)),
        POINTER(Error)),
    "berth_cohort_request_write": (c_int, POINTER(CohortRequest), POINTER(CohortData), c_char_p, POINTER(Error)),
    "berth_cohort_request_free": (None, POINTER(CohortRequest)),
    "berth_cohort_read": (c_int, c_char_p, POINTER(CohortData), POINTER(POINTER(Cohort)), POINTER(Error)),
    "berth_cohort_write": (c_int, POINTER(Cohort), POINTER(CohortData), c_char_p, POINTER(Error)),
    "berth_check_cohort": (c_int, POINTER(CohortData), POINTER(CohortRequest), POINTER(Cohort), POINTER(Hooks),
        POINTER(POINTER(Report)), POINTER(Error)),
    "berth_selector_write": (c_int, c_void_p, c_char_p, POINTER(Error)),
    "berth_selector_read": (c_int, c_char_p, POINTER(c_void_p), POINTER(Error)),
    "berth_selector_replay": (c_int, c_void_p, c_char_p, POINTER(Hooks), SelectedHook, c_void_p, POINTER(Error)),
    "berth_generate_cohort_options_init": (None, POINTER(GenerateCohortOptions)),
    "berth_generate_cohort": (c_int, POINTER(GenerateCohortOptions), POINTER(POINTER(CohortData)),
        POINTER(POINTER(CohortRequest)), POINTER(Error)),
}
