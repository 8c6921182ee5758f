"""What Python functions that C calls may do: be told, stop the work, raise."""
from __future__ import annotations

import os
import signal
import threading
import time
import unittest
from collections.abc import Callable

import berth
from berth import cohort
from worlds import cluster, job, knapsack, some_jobs


class Raising(unittest.TestCase):
    def test_what_cancel_raises_comes_out(self) -> None:
        def cancel() -> bool:
            raise KeyError("from cancel")

        with self.assertRaisesRegex(KeyError, "from cancel"):
            berth.solve(knapsack(), berth.SolveOptions(hooks=berth.Hooks(cancel=cancel)))

    def test_what_cancel_returns_may_be_no_truth(self) -> None:
        class Neither:
            def __bool__(self) -> bool:
                raise ValueError("neither")

        with self.assertRaisesRegex(ValueError, "neither"):
            berth.solve(knapsack(), berth.SolveOptions(hooks=berth.Hooks(cancel=Neither)))  # type: ignore[arg-type]

    def test_keyboard_interrupts_come_out(self) -> None:
        def cancel() -> bool:
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            berth.solve(knapsack(), berth.SolveOptions(hooks=berth.Hooks(cancel=cancel)))

    def test_what_progress_raises_ends_a_run(self) -> None:
        calls = []

        def progress(done: float, total: float) -> None:
            calls.append(done)
            raise ZeroDivisionError

        instance = some_jobs()
        with self.assertRaises(ZeroDivisionError):
            berth.run_online(instance, berth.Options(hooks=berth.Hooks(progress=progress)))
        self.assertEqual(len(calls), 1)

    def test_a_scheduler_goes_on_after_what_a_hook_raised(self) -> None:
        angry = True

        def cancel() -> bool:
            if angry:
                raise LookupError("once")
            return False

        with berth.Scheduler(cluster(), options=berth.Options(hooks=berth.Hooks(cancel=cancel))) as scheduler:
            with self.assertRaisesRegex(LookupError, "once"):
                scheduler.submit(job())
            angry = False
            self.assertTrue(scheduler.submit(job("again")).admitted)


class Interrupting(unittest.TestCase):
    """Another thread sends the signal while the library is at work for minutes."""

    def interrupt(self, work: Callable[[], object]) -> float:
        began = time.monotonic()
        timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
        timer.start()
        try:
            with self.assertRaises(KeyboardInterrupt):
                work()
        finally:
            timer.join()
        return time.monotonic() - began

    def test_ctrl_c_ends_a_run_and_a_decision(self) -> None:
        instance = berth.generate_pdors(berth.GeneratePdorsOptions(machines=60, jobs=2000, slots=100))
        handler = signal.getsignal(signal.SIGINT)
        for threads in (1, 2):
            options = berth.Options(threads=threads, effort=berth.Effort.HIGH, hooks=berth.Hooks())
            self.assertLess(self.interrupt(lambda: berth.run_online(instance, options)), 30)
            self.assertIs(signal.getsignal(signal.SIGINT), handler)
            first = [job for job in instance.jobs if job.arrival_slot == 0]
            with berth.Scheduler(instance.cluster, options=options) as scheduler:
                def decide() -> None:
                    while True:
                        scheduler.submit_batch(0, first)
                        for live in scheduler.live_jobs():
                            scheduler.cancel(live.number)

                self.assertLess(self.interrupt(decide), 30)
            self.assertIs(signal.getsignal(signal.SIGINT), handler)

    def test_handlers_that_do_not_raise_are_called(self) -> None:
        seen: list[int] = []
        previous = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
        try:
            def cancel() -> bool:
                if not seen:
                    signal.raise_signal(signal.SIGINT)
                return False

            solution = berth.solve(knapsack(), berth.SolveOptions(hooks=berth.Hooks(cancel=cancel)))
        finally:
            signal.signal(signal.SIGINT, previous)
        self.assertEqual(solution.outcome, berth.Outcome.OPTIMAL)
        self.assertEqual(set(seen), {signal.SIGINT})


class Cancelling(unittest.TestCase):
    def test_true_ends_a_decision(self) -> None:
        hooks = berth.Hooks(cancel=lambda: True)
        with berth.Scheduler(cluster(), options=berth.Options(hooks=hooks)) as scheduler:
            with self.assertRaises(berth.CancelledError):
                scheduler.submit(job())
            self.assertEqual(scheduler.used(0, 0, "gpu") + scheduler.used(0, 1, "gpu"), 0)

    def test_true_ends_a_run_with_what_there_is(self) -> None:
        instance = some_jobs()
        run = berth.run_online(instance, berth.Options(hooks=berth.Hooks(cancel=lambda: True)))
        self.assertTrue(run.stopped)
        self.assertIn(berth.JobOutcome.UNDECIDED, [job.outcome for job in run.jobs])


class Telling(unittest.TestCase):
    def test_progress_ends_at_the_total(self) -> None:
        seen: list[tuple[float, float]] = []
        instance = some_jobs()
        berth.run_online(instance, berth.Options(hooks=berth.Hooks(progress=lambda *step: seen.append(step))))
        self.assertGreater(len(seen), 1)
        self.assertLessEqual(seen[-1][0], seen[-1][1])

    def test_warnings_are_texts(self) -> None:
        instance = berth.Instance.parse(
            '{"format": "berth-jobs-1", "name": "n", "slot_seconds": 600, "horizon_slots": 2, "resources": ["gpu"],'
            ' "machines": [{"name": "m", "capacity": {"gpu": 1}}], "jobs": [{"id": "big", "arrival_slot": 0,'
            ' "epochs": 1, "samples": 1000, "batch": 8, "max_workers": 4, "sample_seconds": 0.01, "gradient_mb": 1,'
            ' "bandwidth_internal_mb_s": 1000, "bandwidth_external_mb_s": 100, "workers_per_ps": 1,'
            ' "worker": {"gpu": 2}, "ps": null, "utility": {"kind": "constant", "value": 5}}]}')
        self.assertEqual(len(instance.warnings()), 1)
        self.assertIn("big", instance.warnings()[0])


class Solvers(unittest.TestCase):
    def test_the_built_in_ones_are_listed(self) -> None:
        backends = berth.Backends()
        self.assertEqual(len(backends), len(list(backends)))
        self.assertIn("first-order", [backend.name for backend in backends])
        self.assertFalse({b.name: b.exact for b in backends}["first-order"])

    def test_glpk_adds_itself(self) -> None:
        try:
            backends = berth.Backends(glpk=True)
        except berth.BackendError:
            self.skipTest("no libberth_glpk")
        self.assertIn("glpk", [backend.name for backend in backends])
        solution = berth.solve(knapsack(), berth.SolveOptions(method="exact", lp="glpk", backends=backends))
        self.assertEqual(solution.lp, "glpk")
        self.assertEqual(solution.outcome, berth.Outcome.OPTIMAL)

    def test_sets_outlive_what_uses_them(self) -> None:
        scheduler = berth.Scheduler(cluster(), options=berth.Options(backends=berth.Backends()))
        self.assertTrue(scheduler.submit(job()).admitted)

    def test_a_solver_that_is_not_there_is_an_error(self) -> None:
        data, request = cohort.generate(cohort.GenerateOptions(clients=20))
        with self.assertRaises(berth.BerthError):
            cohort.pick(data, request, cohort.Options(solver="none such"))


if __name__ == "__main__":
    unittest.main()
