"""Clusters, jobs, decisions; errors with their places; closing."""
from __future__ import annotations

import dataclasses
import math
import pickle
import threading
import unittest

import berth
from worlds import cluster, job, stream


class Deciding(unittest.TestCase):
    def test_an_empty_cluster_takes_a_job(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            decision = scheduler.submit(job())
            self.assertTrue(decision.admitted)
            self.assertEqual((decision.number, decision.completion_slot), (0, 4))
            # 4 workers x 600 s / (0.01 + 2 / (8 x 1000)) s
            self.assertAlmostEqual(decision.slots[0].samples, 4 * 600 / (0.01 + 2 / 8000))
            self.assertEqual(decision.slots[0].locality, berth.Locality.INTERNAL)
            self.assertEqual(sum(p.workers for p in decision.slots[0].placements), 4)
            self.assertAlmostEqual(decision.utility, 10 * (1 - 4 / 12))
            machine = decision.slots[0].placements[0].machine
            self.assertEqual(scheduler.used(0, machine, "gpu"), 4)
            self.assertEqual(scheduler.used(0, machine, 1), 32)
            self.assertEqual(scheduler.used(11, machine, "gpu"), 0)

    def test_what_if_commits_nothing(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            asked = scheduler.what_if(job())
            self.assertEqual(asked, scheduler.what_if(job()))
            self.assertEqual(scheduler.used(0, 0, "gpu") + scheduler.used(0, 1, "gpu"), 0)
            self.assertEqual(dataclasses.replace(asked, number=0), scheduler.submit(job()))

    def test_a_rejected_job_has_no_slots(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            decision = scheduler.submit(job(samples=1e12))
            self.assertFalse(decision.admitted)
            self.assertIsNone(decision.completion_slot)
            self.assertIsNone(decision.promised_slot)
            self.assertEqual(decision.slots, ())
            self.assertNotEqual(decision.reason, "")

    def test_batches_come_back_in_order(self) -> None:
        with berth.Scheduler(cluster(4)) as scheduler:
            decisions = scheduler.submit_batch(1, [job("a", arrival_slot=1), job("b", arrival_slot=1, samples=1e12)])
            self.assertEqual([d.admitted for d in decisions], [True, False])
            self.assertEqual(scheduler.submit_batch(2, []), [])

    def test_the_same_seed_decides_the_same(self) -> None:
        def decide(threads: int) -> list[berth.Decision]:
            with berth.Scheduler(cluster(3), options=berth.Options(threads=threads)) as scheduler:
                return [scheduler.submit(job) for job in stream(12, 6)]

        self.assertEqual(decide(1), decide(1))
        self.assertEqual(decide(1), decide(4))

    def test_parameter_servers_tenants_and_globs(self) -> None:
        quotas = {"t": {"gpu": 2}}
        with berth.Scheduler(cluster(quotas=quotas)) as scheduler:
            decision = scheduler.submit(job(tenant="t", all_reduce=False, ps={"memory_gb": 4}, workers_per_ps=2,
                                            allow=("m[1]",), samples=1e5))
            self.assertTrue(decision.admitted, decision.reason)
            for plan in decision.slots:
                self.assertEqual([p.machine for p in plan.placements], [1])
                self.assertLessEqual(plan.placements[0].workers, 2)
                self.assertEqual(plan.placements[0].ps, math.ceil(plan.placements[0].workers / 2))

    def test_all_utilities_are_taken(self) -> None:
        steps = [(3, 9), (5, 2)]
        for utility, value in [
                (berth.Utility.sigmoid(8, 1, 4), lambda d: 8 / (1 + math.exp(d - 4))),
                (berth.Utility.constant(3), lambda d: 3),
                (berth.Utility.linear(10, 8), lambda d: max(0, 10 * (1 - d / 8))),
                (berth.Utility.deadline(5, 6), lambda d: 5 if d <= 6 else 0),
                (berth.Utility.by_steps(steps), lambda d: next((v for delay, v in steps if d <= delay), 0))]:
            with self.subTest(utility=utility), berth.Scheduler(cluster()) as scheduler:
                decision = scheduler.submit(job(utility=utility))
                self.assertIsNotNone(decision.completion_slot)
                self.assertAlmostEqual(decision.utility, value(decision.completion_slot))
                self.assertGreater(decision.utility, 0)


class Prices(unittest.TestCase):
    def test_prices_rise_with_use(self) -> None:
        bounds = berth.price_bounds(cluster(), [job()], 1e-4)
        self.assertEqual(len(bounds.upper), 2)
        self.assertEqual(bounds.floor, 1e-4)
        with berth.Scheduler(cluster(), bounds, berth.Options(policy="pdors-ci")) as scheduler:
            before = scheduler.price(0, 0, "gpu")
            decision = scheduler.submit(job())
            self.assertIsNotNone(decision.payoff_bound)
            after = max(scheduler.price(0, machine, "gpu") for machine in (0, 1))
            self.assertGreater(after, before)
            self.assertAlmostEqual(decision.payoff or 0, decision.utility - (decision.price_paid or 0))

    def test_policies_that_need_bounds_say_so(self) -> None:
        with self.assertRaisesRegex(berth.ArgumentError, 'policy "pdors-ci" needs price bounds: .*or choose bidlp'):
            berth.Scheduler(cluster(), options=berth.Options(policy="pdors-ci"))

    def test_policies_are_listed(self) -> None:
        names = berth.policy_names()
        self.assertEqual(names[0], berth.Options().policy)
        self.assertTrue(all(berth.policy_about(name) for name in names))
        self.assertIsNone(berth.policy_about("none such"))
        self.assertEqual([berth.policy_promises(name) for name in ("bidlp", "srtf")], [True, False])
        self.assertEqual(berth.effort_name(berth.Effort.LOW), "low")

    def test_effort_goes_by_name_too(self) -> None:
        for effort in berth.Effort:
            self.assertIs(berth.Options(effort=berth.effort_name(effort)).effort, effort)
        for bad in ("LOWISH", 3, None):
            with self.assertRaisesRegex(ValueError, "expected a berth.Effort, or one of low, medium, high"):
                berth.Options(effort=bad)  # type: ignore[arg-type]


class Errors(unittest.TestCase):
    def test_an_error_has_status_place_and_text(self) -> None:
        with self.assertRaises(berth.ArgumentError) as caught:
            berth.Scheduler(cluster(), options=berth.Options(policy="none such"))
        error = caught.exception
        self.assertEqual((error.status, error.name, error.where), (-1, "BERTH_E_ARGUMENT", "policy"))
        self.assertIn("none such", error.message)
        self.assertEqual(str(error), f"policy: {error.message}")
        self.assertIsNone(error.line)
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.status), (type(error), str(error), error.status))

    def test_policies_without_promises_are_refused(self) -> None:
        with self.assertRaises(berth.UnsupportedError):
            berth.Scheduler(cluster(), options=berth.Options(policy="srtf"))

    def test_the_library_checks_jobs(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            with self.assertRaises(berth.BerthError) as caught:
                scheduler.submit(job(epochs=-1))
            self.assertIn("epochs", str(caught.exception))

    def test_slots_do_not_go_back(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            scheduler.submit_batch(3, [])
            with self.assertRaises(berth.ArgumentError):
                scheduler.submit(job(arrival_slot=1))

    def test_values_that_c_would_cut_off_are_refused(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            for bad in [dict(max_workers=2**40), dict(arrival_slot=2**31)]:
                with self.assertRaisesRegex(ValueError, f"job j: {next(iter(bad))} is"):
                    scheduler.submit(job(**bad))
            with self.assertRaisesRegex(ValueError, "slot is 4294967297"):
                scheduler.submit_batch(2**32 + 1, [])
        with self.assertRaisesRegex(ValueError, "options/seed"):
            berth.Scheduler(cluster(), options=berth.Options(seed=-1))

    def test_names_and_lengths_are_checked_before_c_sees_them(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            with self.assertRaisesRegex(ValueError, "job j: worker: no resource 'gpus'; there are gpu, memory_gb"):
                scheduler.submit(job(worker={"gpus": 1}))
            with self.assertRaisesRegex(ValueError, "worker has 1 entries; expected 2"):
                scheduler.submit(job(worker=[1]))
            with self.assertRaisesRegex(ValueError, "NUL"):
                scheduler.submit(job("a\0b"))
            with self.assertRaisesRegex(TypeError, "{'id': 'x'}; expected a berth.Job"):
                scheduler.submit({"id": "x"})  # type: ignore[arg-type]
            with self.assertRaisesRegex(TypeError, "job 7: id is 7; expected text"):
                scheduler.submit(job(7))
            with self.assertRaisesRegex(TypeError, "one text"):
                scheduler.submit(job(allow="m0"))
            with self.assertRaisesRegex(TypeError, "epochs"):
                scheduler.submit(job(epochs="many"))
            with self.assertRaisesRegex(ValueError, "no resource 'cpu'"):
                scheduler.used(0, 0, "cpu")
        with self.assertRaisesRegex(ValueError, "machines/m0 has 1 amounts; expected 2"):
            berth.Scheduler(dataclasses.replace(cluster(), machines={"m0": [1]}))


class Closing(unittest.TestCase):
    def test_a_closed_scheduler_refuses(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            scheduler.submit(job())
        for use in (lambda: scheduler.submit(job()), lambda: scheduler.used(0, 0, "gpu")):
            with self.assertRaisesRegex(ValueError, "the scheduler has been closed"):
                use()
        scheduler.close()

    def test_its_own_hooks_and_other_threads_must_wait(self) -> None:
        inside, leave = threading.Event(), threading.Event()
        seen: list[BaseException] = []

        def cancel() -> bool:
            if not inside.is_set():
                try:
                    scheduler.used(0, 0, "gpu")
                except RuntimeError as error:
                    seen.append(error)
                inside.set()
                leave.wait(20)
            return False

        scheduler = berth.Scheduler(cluster(), options=berth.Options(hooks=berth.Hooks(cancel=cancel)))
        thread = threading.Thread(target=lambda: scheduler.submit(job()))
        thread.start()
        self.assertTrue(inside.wait(20))
        with self.assertRaisesRegex(RuntimeError, "one thread at a time"):
            scheduler.used(0, 0, "gpu")
        with self.assertRaisesRegex(RuntimeError, "one thread at a time"):
            scheduler.close()
        leave.set()
        thread.join()
        self.assertEqual(len(seen), 1)
        self.assertGreater(scheduler.used(0, 0, "gpu") + scheduler.used(0, 1, "gpu"), 0)
        scheduler.close()


if __name__ == "__main__":
    unittest.main()
