"""Handles of different threads do not disturb one another, and C's work runs beside Python's."""
from __future__ import annotations

import os
import subprocess
import sys
import threading
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import berth
from worlds import cluster, knapsack, stream


def decide(seed: int) -> list[berth.Decision]:
    with berth.Scheduler(cluster(3), options=berth.Options(threads=1)) as scheduler:
        return [scheduler.submit(job) for job in stream(15, 8, seed)]


FORKING = """
import multiprocessing, berth
from worlds import cluster, stream

def decide(threads):
    with berth.Scheduler(cluster(3), options=berth.Options(threads=threads)) as scheduler:
        return [scheduler.submit(job) for job in stream(8, 4)]

here = decide(2)
with multiprocessing.get_context("fork").Pool(1) as pool:
    print(pool.apply_async(decide, [2]).get(30) == here)
"""


class Processes(unittest.TestCase):
    def test_a_forked_process_works_on(self) -> None:
        """OpenMP's threads are lost by a fork; waiting for them would take for ever."""
        folders = Path(berth.__file__).resolve().parents[1], Path(__file__).resolve().parent
        done = subprocess.run([sys.executable, "-c", FORKING], capture_output=True, text=True, timeout=120, check=False,
                              env={**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))})
        self.assertEqual(done.stdout.strip(), "True", done.stderr)


class Threads(unittest.TestCase):
    def test_schedulers_in_threads_decide_as_in_one(self) -> None:
        alone = [decide(seed) for seed in range(4)]
        self.assertGreater(len({str(decisions) for decisions in alone}), 1)
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(decide, range(4))), alone)

    def test_hooks_of_threads_are_their_own(self) -> None:
        def run(name: str) -> str:
            def cancel() -> bool:
                raise LookupError(name)

            try:
                berth.solve(knapsack(), berth.SolveOptions(hooks=berth.Hooks(cancel=cancel)))
            except LookupError as error:
                return str(error.args[0])
            return "nothing"

        names = [f"thread {i}" for i in range(20)]
        with ThreadPoolExecutor(4) as pool:
            self.assertEqual(list(pool.map(run, names)), names)

    def test_the_interpreter_goes_on_meanwhile(self) -> None:
        """The other thread is let in within the call, which would not end before it had been."""
        came = threading.Event()
        waited: list[bool] = []

        def cancel() -> bool:
            if not waited:
                waited.append(came.wait(20))
            return True

        thread = threading.Thread(
            target=lambda: berth.solve(knapsack(), berth.SolveOptions(hooks=berth.Hooks(cancel=cancel))))
        thread.start()
        came.set()
        thread.join()
        self.assertEqual(waited, [True])

    def test_hooks_may_be_called_by_the_library_s_threads(self) -> None:
        """With several threads of C polling, none of Python's is harmed, and the first exception comes out."""
        polls: list[int] = []

        def cancel() -> bool:
            polls.append(threading.get_ident())
            if len(polls) > 50:
                raise LookupError("enough")
            return False

        options = berth.Options(threads=4, policy="pdors-ci", hooks=berth.Hooks(cancel=cancel))
        jobs = stream(30, 1)
        bounds = berth.price_bounds(cluster(8), jobs)
        with berth.Scheduler(cluster(8), bounds, options) as scheduler:
            with self.assertRaisesRegex(LookupError, "enough"):
                for job in jobs:
                    scheduler.submit(job)


if __name__ == "__main__":
    unittest.main()
