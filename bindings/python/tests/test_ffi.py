"""What ctypes is told of the library is what its headers say: layouts from a compiled program, prototypes, names,
defaults."""
from __future__ import annotations

import ctypes
import os
import tempfile
import unittest
import unittest.mock
from typing import Any

import berth
from berth import _convert, _library, cohort, goodput, instance, selector, training
from berth._library import _PROTOTYPES, lib

import headers

# Functions of the stable headers that Python does without. Of berth_io.h it has what reads, runs and checks files:
# importing, comparing, drawing and serving are the program's.
OMITTED = {
    **dict.fromkeys(("berth_outcome_name", "berth_job_state_name", "berth_change_kind_name",
                     "berth_machine_state_name"), "members of Python's enums have their names"),
}

# Python's enum, C's, and what C's names begin with.
ENUMS = [
    (berth.Outcome, "berth_outcome", "BERTH_"), (berth.LogLevel, "berth_log_level", "BERTH_LOG_"),
    (berth.UtilityKind, "berth_utility_kind", "BERTH_UTILITY_"), (berth.Favour, "berth_favour", "BERTH_FAVOUR_"),
    (berth.ScaleRule, "berth_scale_rule", "BERTH_SCALE_"), (berth.Bound, "berth_bound", "BERTH_BOUND_"),
    (berth.Effort, "berth_effort", "BERTH_EFFORT_"), (berth.Locality, "berth_locality", "BERTH_"),
    (berth.JobState, "berth_job_state", "BERTH_JOB_"), (berth.ChangeKind, "berth_change_kind", "BERTH_CHANGE_"),
    (berth.MachineState, "berth_machine_state", "BERTH_MACHINE_"),
    (berth.Verdict, "berth_machine_verdict", "BERTH_VERDICT_"), (berth.Proof, "berth_proof", "BERTH_PROOF_"),
    (berth.Format, "berth_problem_format", "BERTH_PROBLEM_"), (berth.JobOutcome, "berth_job_outcome", "BERTH_JOB_"),
    (berth.Arrivals, "berth_arrivals", "BERTH_ARRIVALS_"),
    (cohort.Objective, "berth_cohort_objective", "BERTH_COHORT_"),
    (cohort.Reason, "berth_cohort_reason", "BERTH_COHORT_"),
    (selector.ChoiceKind, "berth_choice_kind", "BERTH_CHOICE_"),
    (goodput.BatchMode, "berth_batch_mode", "BERTH_BATCH_"), (goodput.Fair, "berth_fair", "BERTH_FAIR_"),
    (goodput.Rules, "berth_goodput_rules", "BERTH_RULES_"),
    (goodput.Allocator, "berth_allocator", "BERTH_ALLOCATOR_"),
    (training.Policy, "berth_goodput_policy", "BERTH_GOODPUT_"),
]

# Options by C's structure; fields that are C's alone.
OPTIONS = {
    "berth_options": berth.Options(), "berth_solve_options": berth.SolveOptions(),
    "berth_cohort_options": cohort.Options(), "berth_cohort_request": cohort.Request(),
    "berth_cohort_size_options": cohort.SizeOptions(deviation=0, range=0, clients=0),
    "berth_generate_cohort_options": cohort.GenerateOptions(), "berth_selector_options": selector.SelectorOptions(),
    "berth_generate_pdors_options": instance.GeneratePdorsOptions(), "berth_goodput_profile": goodput.Profile(),
    "berth_goodput_job": goodput.Job(), "berth_goodput_instance": goodput.Instance(gpus=[], jobs=[]),
    "berth_allocate_options": goodput.AllocateOptions(), "berth_generate_goodput_options": goodput.GenerateOptions(),
    "berth_goodput_run_options": training.RunOptions(),
}
INNER = {"struct_size", "memory", "crc32", "choose_eligible", "n_all", "n_eligible", "n_current", "n_options", "n_nodes",
         "n_jobs"}


# Results by C's structure, and the names of fields that Python has in another way.
RESULTS: dict[str, tuple[Any, set[str]]] = {
    "berth_decision": (berth.Decision, set()), "berth_slot_plan": (berth.SlotPlan, set()),
    "berth_job_info": (berth.JobInfo, set()), "berth_change": (berth.Change, set()),
    "berth_machine_info": (berth.MachineInfo, set()), "berth_machine_reason": (berth.MachineReason, set()),
    "berth_explanation": (berth.Explanation, set()), "berth_statistics": (berth.Statistics, set()),
    "berth_price_bounds": (berth.PriceBounds, set()), "berth_promise": (berth.Promise, set()),
    "berth_solution": (berth.Solution, {"version_names", "version_numbers"}),
    "berth_run": (berth.Run, {"version_names", "version_numbers"}), "berth_run_job": (berth.RunJob, set()),
    "berth_run_bounds": (berth.RunBounds, set()), "berth_run_summary": (berth.RunSummary, set()),
    "berth_rounding_summary": (berth.RoundingSummary, {"promise"}),
    "berth_rounding_promise": (berth.RoundingSummary, set()),
    "berth_placement_summary": (berth.PlacementSummary, set()),
    "berth_estimation_summary": (berth.EstimationSummary, set()), "berth_certificate": (berth.Certificate, set()),
    "berth_report": (berth.Report, {"rule_names", "rule_counts"}), "berth_finding": (berth.Finding, set()),
    "berth_cohort": (cohort.Cohort, set()), "berth_cohort_participant": (cohort.Participant, {"category"}),
    "berth_cohort_data": (cohort.Data, set()), "berth_selection": (selector.Selection, set()),
    "berth_choice": (selector.Choice, set()), "berth_selector_state": (selector.SelectorState, set()),
    "berth_selector_client": (selector.SelectorClient, set()), "berth_goodput_point": (goodput.Point, set()),
    "berth_goodput_fit": (goodput.Fit, set()), "berth_measurement": (goodput.Measurement, set()),
    "berth_allocation": (goodput.Allocation, set()), "berth_allocated_job": (goodput.AllocatedJob, set()),
    "berth_goodput_workload": (training.Workload, set()), "berth_application": (training.Application, set()),
    "berth_training_job": (training.TrainingJob, set()),
    "berth_measured_placement": (training.MeasuredPlacement, set()),
    "berth_measured_training": (training.MeasuredTraining, set()), "berth_goodput_run": (training.Run, set()),
    "berth_trained_job": (training.TrainedJob, set()), "berth_goodput_span": (training.Span, set()),
    "berth_job": (berth.Job, set()), "berth_cluster": (berth.Cluster, {"capacity"}),
    "berth_utility": (berth.Utility, set()), "berth_problem": (berth.Problem, set()),
}


class Layout(unittest.TestCase):
    def test_structures_lie_as_c_has_them(self) -> None:
        lines = []
        for name, kind in headers.structures().items():
            lines.append(f'printf("{name} - 0 %zu\\n", sizeof({name}));')
            for field, *_ in kind._fields_:
                lines.append(f'printf("{name} {field} %zu %zu\\n", offsetof({name}, {field}), '
                             f'sizeof((({name} *)0)->{field}));')
        with tempfile.TemporaryDirectory() as folder:
            rows = headers.printed("\n".join(lines), folder)
        self.assertEqual(len(rows), len(lines))
        for name, field, offset, size in rows:
            kind = headers.structures()[name]
            with self.subTest(structure=name, field=field):
                if field == "-":
                    self.assertEqual(ctypes.sizeof(kind), int(size))
                else:
                    there = getattr(kind, field)
                    self.assertEqual((there.offset, there.size), (int(offset), int(size)))

    def test_enums_have_c_s_names_and_values(self) -> None:
        listed = [(kind, prefix, name) for kind, c_enum, prefix in ENUMS for name in headers.enumerators()[c_enum]]
        with tempfile.TemporaryDirectory() as folder:
            rows = headers.printed("\n".join(f'printf("%d\\n", (int){name});' for _, _, name in listed), folder)
        found: dict[Any, dict[str, int]] = {}
        for (kind, prefix, name), (value,) in zip(listed, rows):
            found.setdefault(kind, {})[name.removeprefix(prefix)] = int(value)
        for kind, members in found.items():
            self.assertEqual(dict((member.name, member.value) for member in kind), members, kind)

    def test_fit_warnings_have_c_s_values(self) -> None:
        names = [warning.name for warning in goodput.FitWarning]
        with tempfile.TemporaryDirectory() as folder:
            rows = headers.printed("\n".join(f'printf("%d\\n", BERTH_FIT_{name});' for name in names), folder)
        self.assertEqual([int(value) for value, in rows], [warning.value for warning in goodput.FitWarning])

    def test_results_have_all_fields(self) -> None:
        for name, (kind, otherwise) in RESULTS.items():
            with self.subTest(structure=name):
                there = set(getattr(kind, "__dataclass_fields__", dir(kind))) | set(dir(kind))
                fields = {field for field, *_ in headers.structures()[name]._fields_ if field not in
                          ("struct_size", "memory", "n") and not field.startswith("n_")}
                self.assertEqual(fields - there, otherwise)

    def test_statuses_have_classes(self) -> None:
        for name in headers.enumerators()["berth_status"]:
            if name != "BERTH_OK":
                self.assertTrue(name.startswith("BERTH_E_"))
        self.assertEqual(len(headers.enumerators()["berth_status"]) - 1, len(berth.errors._CLASSES))


class Prototypes(unittest.TestCase):
    def test_prototypes_are_c_s(self) -> None:
        declared = headers.functions()
        for name, prototype in _PROTOTYPES.items():
            with self.subTest(function=name):
                self.assertIn(name, declared)
                self.assertEqual(len(prototype), len(declared[name]))
                self.assertTrue(all(map(_agrees, prototype, declared[name])), (prototype, declared[name]))

    def test_every_function_is_there_or_omitted_for_a_reason(self) -> None:
        exports = set((headers.TOP / ".ci" / "exports.txt").read_text().split())
        wanted = (exports | set(headers.functions())) - headers.of_files()
        self.assertGreater(len(wanted), 100)
        self.assertEqual(sorted(wanted - set(_PROTOTYPES) - set(OMITTED)), [])
        self.assertEqual(sorted(set(_PROTOTYPES) & set(OMITTED)), [])
        self.assertEqual(sorted(set(OMITTED) - wanted), [])

    def test_the_package_calls_every_prototype(self) -> None:
        folder = headers.TOP / "bindings" / "python" / "berth"
        text = "".join(path.read_text() for path in folder.glob("*.py") if not path.name.startswith("_ffi"))
        self.assertEqual([name for name in _PROTOTYPES if name not in text], [])


def _agrees(ours: Any, theirs: Any) -> bool:
    """A pointer that the package only hands through, or always passes as NULL, is a void pointer there."""
    return ours == theirs or (ours is ctypes.c_void_p and theirs is not None and issubclass(theirs, ctypes._Pointer))


class Defaults(unittest.TestCase):
    def test_options_are_complete_and_their_defaults_the_library_s(self) -> None:
        for name, options in OPTIONS.items():
            kind = headers.structures()[name]
            initial, filled = kind(), kind()
            for struct in (initial, filled):
                getattr(lib, name + "_init")(ctypes.byref(struct))
            _convert.fill(filled, options)
            required = {"deviation", "range", "clients"} if name == "berth_cohort_size_options" else set()
            for field, *_ in kind._fields_:
                with self.subTest(structure=name, field=field):
                    if field not in INNER:
                        self.assertTrue(hasattr(options, field))
                    value = getattr(initial, field)
                    if isinstance(value, (int, float, bytes)) and field not in required:
                        self.assertEqual(str(getattr(filled, field)), str(value))

    def test_jobs_and_mixes_too(self) -> None:
        job = headers.structures()["berth_job"]()
        lib.berth_job_init(ctypes.byref(job))
        self.assertEqual(job.max_workers, berth.Job.__dataclass_fields__["max_workers"].default)
        mix = headers.structures()["berth_generate_pdors_options"]()
        lib.berth_generate_pdors_options_init(ctypes.byref(mix))
        self.assertEqual(tuple(mix.mix), berth.GeneratePdorsOptions().mix)


class Names(unittest.TestCase):
    def test_modules_show_what_is_for_users(self) -> None:
        for module in (berth.cohort, berth.goodput, berth.selector, berth.training):
            with self.subTest(module=module.__name__):
                self.assertEqual(dir(module), sorted(module.__all__))
                classes = {name for name, value in vars(module).items()
                           if isinstance(value, type) and value.__module__ == module.__name__}
                self.assertLessEqual({name for name in classes if not name.startswith("_")}, set(module.__all__))
                for name in module.__all__:
                    self.assertEqual(getattr(module, name).__module__, module.__name__)

    def test_the_version_is_the_librarys(self) -> None:
        self.assertEqual(berth.__version__, berth.version())
        with self.assertRaises(AttributeError):
            berth.no_such_name


class Lookup(unittest.TestCase):
    def test_version_is_the_header_s(self) -> None:
        text = (headers.INCLUDE / "berth.h").read_text()
        parts = [line.split()[2] for line in text.splitlines() if line.startswith("#define BERTH_VERSION_")]
        self.assertEqual(berth.version(), ".".join(parts))
        self.assertEqual(_library._VERSION, tuple(int(part) for part in parts[:2]))
        project = (headers.TOP / "bindings" / "python" / "pyproject.toml").read_text()
        self.assertIn(f'version = "{berth.version()}"', project)

    def test_a_library_that_is_not_there_is_named(self) -> None:
        with unittest.mock.patch.dict(os.environ, {"BERTH_LIBRARY": "/nowhere/libberth.so.0"}):
            with self.assertRaisesRegex(OSError, "/nowhere/libberth.so.0"):
                _library.Library().berth_version

    def test_a_library_of_another_version_is_refused(self) -> None:
        with unittest.mock.patch.object(_library, "_VERSION", (99, 0)):
            with self.assertRaisesRegex(OSError, r"expected 99\.0"):
                _library.Library().berth_version

    def test_a_function_that_is_not_there_yet_is_named(self) -> None:
        with unittest.mock.patch.dict(_PROTOTYPES, {"berth_of_the_future": (None,)}):
            with self.assertRaisesRegex(NotImplementedError, "berth_of_the_future"):
                lib.berth_of_the_future


if __name__ == "__main__":
    unittest.main()
