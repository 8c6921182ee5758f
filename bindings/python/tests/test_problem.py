"""General problems: lists, rows, arrays and files give the same programme; what is found is checked."""
from __future__ import annotations

import math
import tempfile
import unittest
from array import array
from itertools import product
from pathlib import Path
from typing import Any

import berth
from worlds import knapsack

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

PROBLEMS = Path(__file__).resolve().parents[3] / "instances" / "problems"


def cover() -> dict[str, Any]:
    """min 2 a + 3 b, a + b >= 2, a + 2 b >= 3, whole: a = b = 1 costs 5."""
    return dict(cost=[2, 3], row_lower=[2, 3], row_upper=[math.inf, math.inf], row_start=[0, 2, 4],
                var_of=[0, 1, 0, 1], value=[1, 1, 1, 2], is_integer=[True, True])


class Solving(unittest.TestCase):
    def test_a_cover_problem(self) -> None:
        problem = berth.Problem(**cover())
        solution = berth.solve(problem)
        self.assertEqual((solution.outcome, solution.cost, solution.bound), (berth.Outcome.OPTIMAL, 5, 5))
        self.assertEqual(solution.proof, berth.Proof.EXACT)
        self.assertTrue(solution.packing_covering)
        self.assertEqual(solution.x, array("d", [1, 1]))
        report = berth.check_solution(problem, solution)
        self.assertTrue(report.ok, report.findings)
        self.assertEqual((report.utility, report.dual), (5, 5))

    def test_a_packing_problem_against_enumeration(self) -> None:
        n = 12
        problem = knapsack(n)
        best = max(sum((3 + j % 7) * x for j, x in enumerate(point)) for point in product((0, 1), repeat=n)
                   if sum((2 + j % 5) * x for j, x in enumerate(point)) <= n)
        solution = berth.solve(problem)
        self.assertEqual((solution.outcome, solution.cost), (berth.Outcome.OPTIMAL, best))

    def test_infeasible_and_unbounded_are_outcomes(self) -> None:
        infeasible = berth.solve(berth.Problem.by_rows([1], [(2, {0: 1}, math.inf)], upper=[1]))
        self.assertEqual(infeasible.outcome, berth.Outcome.INFEASIBLE)
        self.assertIsNone(infeasible.x)
        self.assertIsNone(infeasible.cost)
        self.assertEqual(len(infeasible.ray or ()), 1)
        unbounded = berth.solve(berth.Problem.by_rows([1], [(0, {0: 1}, math.inf)], maximize=True))
        self.assertEqual(unbounded.outcome, berth.Outcome.UNBOUNDED)

    def test_methods(self) -> None:
        self.assertEqual(berth.method_names()[0], berth.SolveOptions().method)
        for method in berth.method_names():
            self.assertTrue(berth.method_about(method))
        solution = berth.solve(berth.Problem(**cover()), berth.SolveOptions(method="randomized", seed=7, trials=3))
        self.assertEqual((solution.method, solution.seed), ("randomized", 7))
        self.assertTrue(solution.promise.holds, solution.promise.why_not)
        with self.assertRaisesRegex(berth.ArgumentError, "none such"):
            berth.solve(berth.Problem(**cover()), berth.SolveOptions(method="none such"))

    def test_groups_keep_their_sums(self) -> None:
        problem = berth.Problem.by_rows([1, 2, 3, 4], [(1, {0: 1, 1: 1}, 1), (1, {2: 1, 3: 1}, 1)], upper=[1] * 4,
                                        is_integer=[True] * 4, group=[0, 0, 1, 1])
        solution = berth.solve(problem, berth.SolveOptions(method="dependent"))
        self.assertEqual((solution.x[0] + solution.x[1], solution.x[2] + solution.x[3]), (1, 1))


class Input(unittest.TestCase):
    def test_lengths_must_agree(self) -> None:
        for name, value in [("row_upper", [1]), ("is_integer", [True]), ("var_of", [0]), ("value", [1, 2, 3]),
                            ("lower", [0, 0, 0]), ("row_start", [0, 4]), ("row_start", []), ("var_names", ["a"])]:
            with self.subTest(name=name), self.assertRaisesRegex(ValueError, name):
                berth.solve(berth.Problem(**{**cover(), name: value}))

    def test_the_library_checks_numbers(self) -> None:
        for name, value in [("var_of", [0, 7, 0, 1]), ("value", [1, math.nan, 1, 1]), ("row_start", [0, 5, 4]),
                            ("row_start", [2, 2, 4]), ("cost", [math.inf, 1])]:
            with self.subTest(name=name, value=value), self.assertRaises(berth.BerthError):
                berth.solve(berth.Problem(**{**cover(), name: value}))

    def test_types_must_fit(self) -> None:
        for name, value in [("cost", ["a", 1]), ("var_of", [0, 1.5, 0, 1]), ("cost", None)]:
            with self.subTest(name=name), self.assertRaises(TypeError):
                berth.solve(berth.Problem(**{**cover(), name: value}))
        with self.assertRaisesRegex(ValueError, "row_start"):
            berth.solve(berth.Problem(**{**cover(), "row_start": [-1, 2, 4]}))
        for options in (berth.SolveOptions(seed=1.5), berth.SolveOptions(gap="0.5"), berth.SolveOptions(gap=[])):
            with self.assertRaisesRegex(TypeError, "options/(seed|gap) is"):
                berth.solve(berth.Problem(**cover()), options)

    @unittest.skipIf(numpy is None, "no numpy")
    def test_arrays_of_any_type_are_the_same_as_lists(self) -> None:
        expected = berth.solve(berth.Problem(**cover()))
        for integer, real in [("int64", "float64"), ("int32", "float32"), ("uint8", "int16")]:
            arrays = {name: numpy.array(value, dtype=bool if name == "is_integer" else
                                        integer if name in ("row_start", "var_of") else
                                        "float64" if name == "row_upper" else real)
                      for name, value in cover().items()}
            self.assertEqual(berth.solve(berth.Problem(**arrays)), expected)
        strided = numpy.array([2.0, 9.0, 3.0, 9.0])[::2]
        self.assertEqual(berth.solve(berth.Problem(**{**cover(), "cost": strided})), expected)
        self.assertEqual(numpy.asarray(expected.x).tolist(), [1, 1])

    @unittest.skipIf(numpy is None, "no numpy")
    def test_numbers_of_numpy_are_numbers(self) -> None:
        options = berth.SolveOptions(seed=numpy.int64(7), gap=numpy.float32(0.5), trials=numpy.uint8(3))
        solution = berth.solve(berth.Problem(**cover()), options)
        self.assertEqual((solution.seed, solution.gap), (7, 0.5))

    @unittest.skipIf(numpy is None, "no numpy")
    def test_arrays_that_do_not_fit_are_refused(self) -> None:
        for name, value in [("var_of", numpy.array([0, 0.5, 0, 1])), ("row_start", numpy.array([-1, 2, 4])),
                            ("var_of", numpy.array([0, 2**40, 0, 1])), ("var_of", numpy.array([0, math.nan, 0, 1])),
                            ("cost", numpy.ones((2, 1)))]:
            with self.subTest(name=name, value=value), self.assertRaisesRegex(ValueError, name):
                berth.solve(berth.Problem(**{**cover(), name: value}))


class Files(unittest.TestCase):
    def test_a_problem_comes_back_from_every_format_it_can_be_written_in(self) -> None:
        problem = berth.Problem(**cover(), name="cover", var_names=["a", "b"], row_names=["first", "second"])
        try:
            backends = berth.Backends(glpk=True)
        except berth.BackendError:
            backends = None
        formats = [berth.Format.JSON] + ([berth.Format.MPS, berth.Format.LP] if backends else [])
        with tempfile.TemporaryDirectory() as folder:
            for form in formats:
                path = Path(folder) / form.name
                berth.write_problem(problem, path, form)
                again = berth.read_problem(path, form, backends=backends)
                self.assertEqual((list(again.cost), list(again.value), again.var_names),
                                 ([2, 3], [1, 1, 1, 2], ("a", "b")))
                self.assertEqual(berth.solve(again).cost, 5)
                self.assertNotEqual(again.crc32, 0)
        self.assertEqual(berth.problem_format_names()[berth.Format.MPS_FREE], "mps-free")

    def test_solutions_belong_to_their_problem(self) -> None:
        problem = berth.read_problem(PROBLEMS / "placement.json")
        solution = berth.solve(problem, berth.SolveOptions(method="greedy"))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "solution.json"
            berth.write_solution(solution, problem, path)
            again = berth.read_solution(path, problem)
            self.assertEqual(again.x, solution.x)
            self.assertEqual(berth.check_solution(problem, again).rules, berth.check_solution(problem, solution).rules)
            with self.assertRaises(berth.MismatchError):
                berth.read_solution(path, berth.read_problem(PROBLEMS / "tiny.json"))
            report = berth.check_solution(problem, solution)
            report.write(Path(folder) / "report.json")
            self.assertGreater((Path(folder) / "report.json").stat().st_size, 100)

    def test_errors_say_where_in_a_file(self) -> None:
        with self.assertRaises(berth.InputError) as caught:
            berth.parse_problem('{"format": "berth-mpc-1",\n"name": oops}', berth.Format.JSON)
        self.assertEqual(caught.exception.line, 2)
        with self.assertRaises(berth.FileError) as unreadable:
            berth.read_problem("/nowhere/problem.json")
        self.assertIn("/nowhere/problem.json", unreadable.exception.where)


if __name__ == "__main__":
    unittest.main()
