"""Instance files, whole runs and their check."""
from __future__ import annotations

import dataclasses
import tempfile
import unittest
from pathlib import Path

import berth
from worlds import some_jobs

INSTANCES = Path(__file__).resolve().parents[3] / "instances"


class Reading(unittest.TestCase):
    def test_what_the_file_says(self) -> None:
        instance = berth.Instance.read(INSTANCES / "quickstart.json")
        self.assertEqual(instance.name, "quickstart")
        self.assertIn("Philly", instance.source)
        self.assertEqual(instance.cluster.resources, ("gpu", "cpu", "memory_gb"))
        self.assertEqual(len(instance.cluster.machines), 8)
        self.assertEqual(list(instance.cluster.machines["node-0"]), [8, 64, 512])
        first = instance.jobs[0]
        self.assertEqual((len(instance.jobs), first.id, first.arrival_slot, first.tenant), (58, "j1", 1, "ee9e8c"))
        self.assertIsNone(instance.price_upper)
        self.assertIsNone(instance.price_floor)

    def test_all_small_instances_can_be_scheduled_job_by_job(self) -> None:
        """Jobs as read are jobs as a scheduler takes them: the same decisions as of a whole run."""
        options = berth.Options(policy="pdors-ci", threads=1)
        for path in sorted((INSTANCES / "tiny").glob("*.json"))[:12]:
            instance = berth.Instance.read(path)
            run = berth.run_online(instance, options)
            order = sorted(range(len(instance.jobs)), key=lambda i: instance.jobs[i].arrival_slot)
            bounds = instance.price_bounds("pdors-ci")
            with self.subTest(path=path.name), berth.Scheduler(instance.cluster, bounds, options) as scheduler:
                for index in order:
                    decision = scheduler.submit(instance.jobs[index])
                    self.assertEqual((decision.admitted, decision.completion_slot),
                                     (run.jobs[index].admitted, run.jobs[index].completion_slot))

    def test_bad_files_say_where(self) -> None:
        for name in ("worker-negative.json", "workers-per-ps-zero.json", "worker-unknown-resource.json"):
            with self.subTest(name=name), self.assertRaises(berth.InputError) as caught:
                berth.Instance.read(INSTANCES / "bad" / name)
            self.assertRegex(caught.exception.where, "^/jobs/[0-9]+/work")

    def test_canonical_text_comes_back(self) -> None:
        instance = berth.generate_pdors(berth.GeneratePdorsOptions(seed=4, machines=3, mix=(0, 0, 100)))
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "instance.json"
            instance.write(path)
            self.assertEqual(berth.file_format(path), "berth-jobs-1")
            again = berth.Instance.parse(path.read_bytes())
        self.assertEqual((again.crc32, again.cluster), (instance.crc32, instance.cluster))
        self.assertEqual(again.jobs, instance.jobs)

    def test_formats_have_schemas(self) -> None:
        self.assertIn("berth-jobs-1", berth.schema_names())
        self.assertIn('"berth-jobs-1"', berth.schema("berth-jobs-1") or "")
        self.assertIsNone(berth.schema("none such"))
        self.assertEqual(berth.file_format("/nowhere"), "")


class Running(unittest.TestCase):
    def test_a_run_is_confirmed_and_comes_back(self) -> None:
        instance = some_jobs()
        run = berth.run_online(instance, berth.Options(bound=berth.Bound.LP))
        self.assertEqual(run.summary.jobs, len(instance.jobs))
        self.assertAlmostEqual(run.utility, sum(job.utility for job in run.jobs))
        self.assertLessEqual(run.utility, run.bounds.best or 0)
        report = berth.check(instance, run)
        self.assertTrue(report.ok, report.findings)
        self.assertAlmostEqual(report.utility or 0, run.utility)
        with tempfile.TemporaryDirectory() as folder:
            path, certificate = Path(folder) / "run.json", Path(folder) / "certificate.json"
            berth.write_run(run, instance, path, certificate)
            self.assertIsNone(berth.read_run(path, instance).certificate)
            again = berth.read_run(path, instance, certificate)
            self.assertEqual(again.jobs, run.jobs)
            self.assertEqual(again.certificate, run.certificate)
            self.assertTrue(berth.check(instance, again).ok)
            other = some_jobs(seed=2)
            with self.assertRaises(berth.MismatchError):
                berth.read_run(path, other)

    def test_noise_has_truths(self) -> None:
        instance = some_jobs()
        run = berth.run_online(instance, berth.Options(noise=0.3, effort=berth.Effort.LOW))
        self.assertEqual(len(run.truth or ()), len(run.jobs))
        self.assertIsNotNone(run.estimation)
        self.assertIsNone(run.bounds.dual)

    def test_rounding_and_placement_are_summed_up(self) -> None:
        instance = some_jobs()
        self.assertIsNotNone(berth.run_online(instance, berth.Options(policy="pdors")).rounding)
        self.assertIsNotNone(berth.run_online(instance, berth.Options(policy="pdors-ci")).placement)

    def test_a_false_claim_is_found(self) -> None:
        instance = some_jobs()
        run = berth.run_online(instance)
        self.assertGreater(run.utility, 0)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.json"
            berth.write_run(run, instance, path)
            claim = f'"utility": {run.utility!r}'
            self.assertIn(claim, path.read_text())
            path.write_text(path.read_text().replace(claim, f'"utility": {run.utility + 1!r}'))
            report = berth.check(instance, berth.read_run(path, instance))
        self.assertFalse(report.ok)
        self.assertIn("utility", [finding.rule for finding in report.findings if finding.violated])

    def test_runs_are_data(self) -> None:
        instance = some_jobs()
        run = berth.run_online(instance)
        self.assertEqual(run, berth.run_online(instance))
        with self.assertRaises(dataclasses.FrozenInstanceError):
            run.utility = 0  # type: ignore[misc]


if __name__ == "__main__":
    unittest.main()
