"""berth decides where arriving machine-learning training jobs run: libberth for Python, with nothing but ctypes.

    with berth.Scheduler(cluster) as scheduler:
        decision = scheduler.submit(job)

General problems: solve. Files: Instance, run_online, check. Federated learning: berth.cohort, and Selector of
berth.selector. Goodput and GPUs of adaptive jobs: berth.goodput and berth.training."""
from __future__ import annotations

from typing import Any

from . import cohort, goodput, selector, training
from ._library import version
from .errors import (
    ArgumentError, BackendError, BerthError, CancelledError, FileError, InputError, InternalError, MismatchError,
    NumericError, OutOfMemoryError, UnsupportedError,
)
from .hooks import BackendInfo, Backends, Hooks, LogLevel
from .instance import (
    Arrivals, Certificate, EstimationSummary, GeneratePdorsOptions, Instance, JobOutcome, PlacementSummary,
    RoundingSummary, Run, RunBounds, RunJob, RunSummary, check, file_format, generate_pdors, read_run, run_online,
    schema, schema_names, write_run,
)
from .model import (
    Amounts, Bound, Cluster, Decision, Effort, Favour, Job, Locality, Options, Outcome, Placement, PriceBounds,
    ScaleRule, SlotPlan, Utility, UtilityKind, effort_name, policy_about, policy_names, policy_promises, price_bounds,
)
from .problem import (
    Format, Problem, Promise, Proof, Solution, SolveOptions, check_solution, method_about, method_names, parse_problem,
    problem_format_names, read_problem, read_solution, solve, write_problem, write_solution,
)
from .report import Finding, Report
from .scheduler import (
    Change, ChangeKind, Explanation, JobInfo, JobState, LeastChange, MachineInfo, MachineReason, MachineState,
    Scheduler, Statistics, Verdict,
)
from .selector import Choice, ChoiceKind, Selection, Selector, SelectorClient, SelectorOptions, SelectorState

__all__ = [
    "Amounts", "ArgumentError", "Arrivals", "BackendError", "BackendInfo", "Backends", "BerthError", "Bound",
    "CancelledError", "Certificate", "Change", "ChangeKind", "Choice", "ChoiceKind", "Cluster", "Decision", "Effort",
    "EstimationSummary", "Explanation", "Favour", "FileError", "Finding", "Format", "GeneratePdorsOptions", "Hooks",
    "InputError", "Instance", "InternalError", "Job", "JobInfo", "JobOutcome", "JobState", "LeastChange", "Locality",
    "LogLevel", "MachineInfo", "MachineReason", "MachineState", "MismatchError", "NumericError", "Options",
    "OutOfMemoryError", "Outcome", "Placement", "PlacementSummary", "PriceBounds", "Problem", "Promise", "Proof",
    "Report", "RoundingSummary", "Run", "RunBounds", "RunJob", "RunSummary", "ScaleRule", "Scheduler", "Selection",
    "Selector", "SelectorClient", "SelectorOptions", "SelectorState", "SlotPlan", "Solution", "SolveOptions",
    "Statistics", "UnsupportedError", "Utility", "UtilityKind", "Verdict", "check", "check_solution", "cohort",
    "effort_name", "file_format", "generate_pdors", "goodput", "method_about", "method_names", "parse_problem",
    "policy_about", "policy_names", "policy_promises", "price_bounds", "problem_format_names", "read_problem",
    "read_run", "read_solution", "run_online", "schema", "schema_names", "selector", "solve", "training", "version",
    "write_problem", "write_run", "write_solution",
]


def __getattr__(name: str) -> Any:
    """`__version__` is the library's, which is loaded when somebody asks."""
    if name == "__version__":
        return version()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
