"""Nothing is left behind: Python's objects by tracemalloc, C's by what malloc has given out."""
from __future__ import annotations

import ctypes
import gc
import resource
import tracemalloc
import unittest
import weakref
from collections.abc import Callable

import berth
from berth import cohort, goodput
from berth.selector import Selector
from worlds import cluster, job, knapsack, some_jobs, stream


class Mallinfo(ctypes.Structure):
    """struct mallinfo2 of glibc."""

    _fields_ = [(name, ctypes.c_size_t) for name in ("arena", "ordblks", "smblks", "hblks", "hblkhd", "usmblks", "fsmblks",
                                                     "uordblks", "fordblks", "keepcost")]


def allocated() -> int:
    """Bytes that malloc has given out. Python's own small objects are not among them."""
    function = ctypes.CDLL(None).mallinfo2
    function.restype = Mallinfo
    gc.collect()
    info = function()
    return int(info.uordblks + info.hblkhd)


def resident_kb() -> int:
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * resource.getpagesize() // 1024


def schedule() -> None:
    with berth.Scheduler(cluster(3), options=berth.Options(effort=berth.Effort.LOW, threads=1)) as scheduler:
        for arriving in stream(10, 5):
            scheduler.what_if(arriving)
            scheduler.submit(arriving)


def fail_to_schedule() -> None:
    for wrong in (dict(epochs=-1), dict(worker={"gpus": 1}), dict(id="a\0")):
        with berth.Scheduler(cluster()) as scheduler:
            try:
                scheduler.submit(job(**wrong))
            except ValueError:
                continue
            raise AssertionError("a wrong job was taken")


def raise_from_a_hook() -> None:
    def cancel() -> bool:
        raise LookupError

    try:
        berth.solve(knapsack(), berth.SolveOptions(hooks=berth.Hooks(cancel=cancel)))
    except LookupError:
        return
    raise AssertionError("nothing was raised")


def solve() -> None:
    problem = knapsack(60)
    solution = berth.solve(problem, berth.SolveOptions(method="greedy", threads=1))
    berth.check_solution(problem, solution)


def pick() -> None:
    data, request = cohort.generate(cohort.GenerateOptions(clients=200))
    cohort.check_cohort(data, request, cohort.pick(data, request, cohort.Options(effort=0.1)))


def train() -> None:
    selector = Selector()
    for i in range(200):
        selector.register(f"client-{i}", 1 + i)
    for _ in range(10):
        for choice in selector.select(20).choices:
            selector.report(choice.client, 10, 1.0, 2.0)
    Selector.restore(selector.snapshot())


def allocate() -> None:
    instance = goodput.generate(goodput.GenerateOptions(nodes=8))
    goodput.check_allocation(instance, goodput.allocate(instance))


WORK: list[Callable[[], None]] = [schedule, fail_to_schedule, raise_from_a_hook, solve, pick, train, allocate]


class Leaks(unittest.TestCase):
    def test_python_keeps_nothing(self) -> None:
        for work in WORK:
            with self.subTest(work=work.__name__):
                work()
                gc.collect()
                tracemalloc.start()
                try:
                    work()
                    gc.collect()
                    before = tracemalloc.get_traced_memory()[0]
                    for _ in range(10):
                        work()
                    gc.collect()  # also the interpreter's own lists of free tuples and the like
                    grown = tracemalloc.get_traced_memory()[0] - before
                finally:
                    tracemalloc.stop()
                self.assertLess(grown, 5_000)

    def test_hardly_anything_waits_for_the_collector(self) -> None:
        """No results in cycles, only array types of ctypes."""
        for work in WORK:
            with self.subTest(work=work.__name__):
                work()
                gc.collect()
                gc.disable()
                try:
                    work()
                    found = gc.collect()
                finally:
                    gc.enable()
                self.assertLess(found, 20)

    @unittest.skipUnless(hasattr(ctypes.CDLL(None), "mallinfo2"), "no mallinfo2")
    def test_c_keeps_nothing(self) -> None:
        """A result or a handle that is forgotten in each of ten rounds is 30 kB at least."""
        for work in WORK:
            with self.subTest(work=work.__name__):
                work()
                work()
                before = allocated()
                for _ in range(10):
                    work()
                self.assertLess(allocated() - before, 10_000)

    def test_the_process_does_not_grow(self) -> None:
        """A hundred schedulers with their decisions would be 60 MB."""
        for _ in range(10):
            schedule()
        before = resident_kb()
        for _ in range(100):
            schedule()
        self.assertLess(resident_kb() - before, 8_000)


class Lives(unittest.TestCase):
    def test_what_nobody_holds_is_freed(self) -> None:
        scheduler = berth.Scheduler(cluster())
        gone = weakref.ref(scheduler._owned)
        del scheduler
        self.assertIsNone(gone())

    def test_results_outlive_what_they_came_from(self) -> None:
        instance = some_jobs()
        run = berth.run_online(instance)
        jobs = instance.jobs
        del instance
        self.assertEqual(len(jobs), len(run.jobs))
        data, request = cohort.generate(cohort.GenerateOptions(clients=50))
        counts = data.count
        expected = list(counts)
        del data
        self.assertEqual(list(counts), expected)
        self.assertGreater(sum(request.requests or ()), 0)


if __name__ == "__main__":
    unittest.main()
