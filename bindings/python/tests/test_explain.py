"""Why a job would be rejected, and schedulers that go on from their snapshots."""
from __future__ import annotations

import dataclasses
import unittest

import berth
from berth import Verdict
from worlds import cluster, job, stream


class Explaining(unittest.TestCase):
    def test_a_job_that_would_be_admitted(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            explanation = scheduler.explain(job())
            self.assertTrue(explanation.admitted)
            self.assertEqual([m.verdict for m in explanation.machines], [Verdict.FREE, Verdict.FREE])
            self.assertIsNone(explanation.machines[0].resource)
            self.assertIsNotNone(explanation.machines[0].price)
            self.assertEqual(scheduler.live_jobs(), [])

    def test_why_not_and_what_would_help(self) -> None:
        with berth.Scheduler(cluster(4)) as scheduler:
            scheduler.drain_machine("m3")
            late = job(worker={"gpu": 2, "memory_gb": 8}, allow=("m[0123]",), avoid=("m2",), samples=2e6,
                       utility=berth.Utility.deadline(10, 3))
            explanation = scheduler.explain(late)
            self.assertFalse(explanation.admitted)
            self.assertEqual([m.verdict for m in explanation.machines],
                             [Verdict.FREE, Verdict.FREE, Verdict.FORBIDDEN, Verdict.CLOSED])
            self.assertGreater(explanation.dry_runs, 0)
            change = explanation.later_slots
            assert change is not None
            self.assertIsNone(explanation.utility_factor)
            helped = dataclasses.replace(late, utility=berth.Utility.deadline(10, 3 + change.value))
            self.assertTrue(scheduler.what_if(helped).admitted)

    def test_machines_that_are_too_small_or_full(self) -> None:
        with berth.Scheduler(cluster(1)) as scheduler:
            reason, = scheduler.explain(job(worker={"gpu": 5, "memory_gb": 8})).machines
            self.assertEqual((reason.verdict, reason.resource, reason.needed, reason.most),
                             (Verdict.TOO_SMALL, "gpu", 5, 4))
            self.assertNotEqual(reason.verdict.text, "")
            self.assertIsNone(reason.price)
            full = job("full", samples=4 * 600 * 12 / (0.01 + 2 / 8000), utility=berth.Utility.constant(100))
            self.assertTrue(scheduler.submit(full).admitted)
            reason, = scheduler.explain(job()).machines
            self.assertEqual((reason.verdict, reason.resource, reason.free_slots), (Verdict.FULL, "gpu", 0))


class Snapshots(unittest.TestCase):
    def test_a_restored_scheduler_decides_alike(self) -> None:
        for policy in ("bidlp", "pdors-ci"):
            jobs = stream(20, 11)
            bounds = None if policy == "bidlp" else berth.price_bounds(cluster(3), jobs)
            options = berth.Options(policy=policy, rolling=True)
            with berth.Scheduler(cluster(3), bounds, options) as scheduler:
                for arriving in jobs[:10]:
                    scheduler.submit(arriving)
                scheduler.fail_machine("m1")
                image = scheduler.snapshot()
                with berth.Scheduler.restore(image) as twin:
                    self.assertEqual(twin.snapshot(), image)
                    self.assertEqual(twin.resources, ("gpu", "memory_gb"))
                    self.assertEqual(twin.machines(), scheduler.machines())
                    self.assertEqual(twin.live_jobs(), scheduler.live_jobs())
                    self.assertEqual(twin.take_changes(), scheduler.take_changes())
                    for arriving in jobs[10:]:
                        self.assertEqual(twin.submit(arriving), scheduler.submit(arriving))
                    self.assertEqual(twin.statistics(), scheduler.statistics())

    def test_damaged_ones_are_refused(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            scheduler.submit(job())
            image = scheduler.snapshot()
        damaged = bytearray(image)
        damaged[len(image) // 2] ^= 1
        for wrong in (b"", image[:-1], bytes(damaged), b"something else altogether"):
            with self.assertRaises(berth.InputError):
                berth.Scheduler.restore(wrong)


if __name__ == "__main__":
    unittest.main()
