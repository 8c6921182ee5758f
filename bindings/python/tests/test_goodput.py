"""Goodput, fits, allocations, simulated trainings."""
from __future__ import annotations

import dataclasses
import tempfile
import unittest
from pathlib import Path

import berth
from berth import goodput, training

INSTANCES = Path(__file__).resolve().parents[3] / "instances"

PROFILE = goodput.Profile(alpha_c=0.02, beta_c=0.001, alpha_n=0.09, beta_n=0.002, alpha_r=0.015, beta_r=0.0005,
                          gamma=1.3, m0=128, max_batch=4096, min_local=32, max_local=1024, grad_sqr=0.2, grad_var=3.0)


class OneJob(unittest.TestCase):
    def test_a_point_is_what_the_formulas_say(self) -> None:
        point = goodput.at(PROFILE, 1, 2, 100, 1)
        gradient, sync = 0.02 + 0.001 * 100, 0.015 + 0.0005 * 1e-8
        step = gradient + (gradient**1.3 + sync**1.3) ** (1 / 1.3)
        scale = 400 / 128
        self.assertAlmostEqual(point.step_s, step)
        self.assertAlmostEqual(point.throughput, 400 / step)
        self.assertAlmostEqual(point.efficiency, 3.2 / (3.0 / scale + 0.2) / scale)
        self.assertAlmostEqual(point.goodput, point.throughput * point.efficiency)

    def test_tables_hold_the_best(self) -> None:
        local, spread = goodput.table(PROFILE, 8, goodput.BatchMode.EXACT)
        self.assertEqual(local[3], goodput.best(PROFILE, 1, 4, goodput.BatchMode.EXACT))
        self.assertEqual(spread[3], goodput.best(PROFILE, 2, 4, goodput.BatchMode.EXACT))
        self.assertEqual(spread[0].goodput, 0)
        self.assertGreaterEqual(local[3].goodput, goodput.best(PROFILE, 1, 4).goodput)

    def test_profiles_are_files_too(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            PROFILE.write(Path(folder) / "profile.json")
            self.assertEqual(goodput.Profile.read(Path(folder) / "profile.json"), PROFILE)

    def test_errors_name_the_field(self) -> None:
        with self.assertRaisesRegex(berth.ArgumentError, "gamma"):
            goodput.best(dataclasses.replace(PROFILE, gamma=0.5), 1, 1)
        with self.assertRaisesRegex(ValueError, "replicas is -1"):
            goodput.best(PROFILE, 1, -1)

    def test_a_fit_finds_what_made_the_steps(self) -> None:
        measured = []
        for nodes, replicas in [(1, 1), (1, 2), (1, 4), (2, 4), (2, 8), (4, 16)]:
            for local in (32, 128, 512):
                step = goodput.at(PROFILE, nodes, replicas, local).step_s
                measured.append(goodput.Measurement(nodes, replicas, local, step, step - 0.02 - 0.001 * local))
        fit = goodput.fit(measured)
        self.assertLess(fit.worst_error, 0.05)
        self.assertEqual(len(fit.fitted), len(measured))
        self.assertAlmostEqual(fit.beta_c, 0.001, places=4)
        self.assertIn(goodput.FitWarning.NO_SPREAD, goodput.fit(measured[:9]).warnings)
        with self.assertRaisesRegex(berth.ArgumentError, "/1/step_s"):
            goodput.fit([measured[0], dataclasses.replace(measured[1], step_s=-1)])

    def test_measurements_are_read(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "steps.csv"
            path.write_text("num_nodes,num_replicas,local_bsz,step_time,sync_time\n1,2,32,0.5,0.125\n")
            self.assertEqual(goodput.read_measurements(path), [goodput.Measurement(1, 2, 32, 0.5, 0.125)])
            path.write_text("num_nodes,num_replicas,local_bsz,step_time,sync_time\n1,2,32,0.5,none\n")
            with self.assertRaises(berth.InputError) as caught:
                goodput.read_measurements(path)
        self.assertEqual(caught.exception.line, 2)


class Allocating(unittest.TestCase):
    def test_two_jobs_share_two_nodes(self) -> None:
        instance = goodput.Instance(gpus=[4, 4], jobs=[goodput.Job(id=name, profile=PROFILE, age_s=600)
                                                       for name in ("a", "b")])
        allocation = goodput.allocate(instance)
        self.assertEqual(allocation.outcome, berth.Outcome.OPTIMAL)
        self.assertEqual(allocation.starved, 0)
        self.assertEqual(sorted(node.node for job in allocation.jobs for node in job.nodes), [0, 1])
        self.assertTrue(goodput.check_allocation(instance, allocation).ok)
        self.assertGreaterEqual((allocation.bound or 0) * (1 + 1e-9), allocation.fitness or 0)

    def test_typed_jobs_options_and_pins(self) -> None:
        slow = dataclasses.replace(PROFILE, alpha_c=0.2, beta_c=0.01)
        instance = goodput.Instance(
            gpus=[4, 4], gpu_type=[0, 1], n_types=2, type_names=["old", "new"], rules=goodput.Rules.SIA, p=-0.5,
            jobs=[goodput.Job(typed=[slow, PROFILE], age_s=600),
                  goodput.Job(options=[goodput.JobOption(0, 1, 2, 3.0), goodput.JobOption(0, 1, 4, 5.0)], age_s=600),
                  goodput.Job(profile=PROFILE, current=[goodput.NodeGpus(1, 2)], pinned=True)])
        allocation = goodput.allocate(instance)
        self.assertEqual(allocation.jobs[2].nodes, (goodput.NodeGpus(1, 2),))
        self.assertTrue(allocation.jobs[2].kept)
        self.assertEqual(len(allocation.prices or ()), 2)
        self.assertTrue(goodput.check_allocation(instance, allocation).ok)

    def test_files_come_back(self) -> None:
        for name in ("tiny-a.json", "sia-40.json", "synth-16x4-20.json"):
            instance = goodput.Instance.read(INSTANCES / "goodput" / name)
            allocation = goodput.allocate(instance)
            with self.subTest(name=name), tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "instance.json"
                instance.write(path)
                again = goodput.Instance.parse(path.read_text())
                self.assertEqual(again.jobs, instance.jobs)
                goodput.write_allocation(allocation, instance, path)
                self.assertEqual(goodput.read_allocation(path, again), allocation)
                self.assertTrue(goodput.check_allocation(again, allocation).ok)

    def test_baselines(self) -> None:
        instance = goodput.generate(goodput.GenerateOptions(nodes=4, jobs=8, warm=0))
        best = goodput.allocate(instance)
        for allocator in (goodput.Allocator.GENETIC, goodput.Allocator.OPTIMUS, goodput.Allocator.TIRESIAS):
            found = goodput.allocate(instance, goodput.AllocateOptions(allocator=allocator))
            self.assertEqual(found.allocator, allocator)
            self.assertTrue(goodput.check_allocation(instance, found).ok, goodput.allocator_name(allocator))
            self.assertGreaterEqual(found.starved, best.starved)

    def test_bad_input_is_refused(self) -> None:
        with self.assertRaisesRegex(berth.ArgumentError, "/jobs/0/current/0"):
            goodput.allocate(goodput.Instance(
                gpus=[4], jobs=[goodput.Job(profile=PROFILE, current=[goodput.NodeGpus(7, 1)])]))
        with self.assertRaisesRegex(ValueError, "/jobs/0/typed has 1 profiles; expected 2"):
            goodput.allocate(goodput.Instance(gpus=[4], n_types=2, jobs=[goodput.Job(typed=[PROFILE])]))
        with self.assertRaises(berth.ArgumentError):
            goodput.allocate(goodput.Instance(gpus=[4], jobs=[goodput.Job()]))


def small_workload() -> training.Workload:
    """Two jobs of an application that was measured on one GPU and on two."""
    placements = [training.MeasuredPlacement(1, k, None, [32, 64], [0.5, 0.9], [0.0 if k == 1 else 0.05] * 2)
                  for k in (1, 2)]
    run = training.MeasuredTraining(64, [100, 200], [100, 200], [1, 1], [4, 2])
    application = training.Application("net", 64, 128, 16, 64, True, 0, 0, placements, [run])
    return training.Workload(name="two", gpus=[2], node_names=["n0"], type_names=["gpu"], applications=[application],
                             jobs=[training.TrainingJob("a", 0, 0, 1, 64), training.TrainingJob("b", 30, 0, 1, 64)])


class Simulating(unittest.TestCase):
    def test_two_jobs_train_to_their_end(self) -> None:
        workload = small_workload()
        self.assertEqual(workload.applications[0].epochs, 2)
        for policy in (training.Policy.TIRESIAS, training.Policy.POLLUX):
            run = training.simulate(workload, training.RunOptions(policy=policy))
            self.assertEqual((run.completed, run.policy), (2, training.policy_name(policy)))
            self.assertTrue(training.check_run(workload, run).ok)
        self.assertEqual(training.policy_names()[training.Policy.HESRPT], "hesrpt")

    def test_files_come_back(self) -> None:
        workload = training.Workload.read(INSTANCES / "pollux" / "workload-6.json.gz")
        self.assertGreater(len(workload.jobs), 10)
        few = dataclasses.replace(workload, jobs=workload.jobs[:6])
        self.assertEqual(few.crc32, 0)
        run = training.simulate(few, training.RunOptions(policy=training.Policy.TIRESIAS))
        with tempfile.TemporaryDirectory() as folder:
            path, result = Path(folder) / "workload.json", Path(folder) / "run.json"
            few.write(path)
            again = training.Workload.read(path)
            self.assertEqual((again.jobs, again.applications), (few.jobs, few.applications))
            ran = training.simulate(again, training.RunOptions(policy=training.Policy.TIRESIAS))
            self.assertEqual(ran.jobs, run.jobs)
            training.write_run(ran, again, result)
            self.assertEqual(training.read_run(result, again), ran)
            self.assertTrue(training.check_run(again, ran).ok)

    def test_pollux_s_files(self) -> None:
        folder = INSTANCES / "pollux"
        workload = training.Workload.read_pollux(folder / "workload-1.csv", folder / "workload-6.json.gz", 16, 4)
        self.assertEqual((list(workload.gpus), len(workload.jobs)), ([4] * 16, 160))

    def test_bad_input_is_refused(self) -> None:
        workload = small_workload()
        with self.assertRaisesRegex(berth.ArgumentError, "/jobs/0/batch"):
            training.simulate(dataclasses.replace(workload, jobs=[training.TrainingJob("a", 0, 0, 1, 1e6)]))
        bad = dataclasses.replace(workload.applications[0].placements[0], step_s=[1.0])
        application = dataclasses.replace(workload.applications[0], placements=[bad])
        with self.assertRaisesRegex(ValueError, "/applications/0/placements/0/step_s has 1 entries; expected 2"):
            training.simulate(dataclasses.replace(workload, applications=[application]))


if __name__ == "__main__":
    unittest.main()
