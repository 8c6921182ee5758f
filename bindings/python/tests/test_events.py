"""Time, jobs that end early, machines that come and go, and what is told of it."""
from __future__ import annotations

import unittest

import berth
from berth import ChangeKind, JobState, MachineState
from worlds import cluster, job, stream


class Time(unittest.TestCase):
    def test_a_plan_runs_out(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            decision = scheduler.submit(job())
            self.assertEqual((scheduler.now, scheduler.horizon), (0, 12))
            live, = scheduler.live_jobs()
            self.assertEqual((live.number, live.id, live.gang), (0, "j", 0))
            self.assertEqual((live.samples, live.samples_left), (1e6, 1e6))
            scheduler.advance(2)
            live, = scheduler.live_jobs()
            self.assertEqual(live.state, JobState.RUNNING)
            self.assertAlmostEqual(live.samples_left, 1e6 - sum(p.samples for p in decision.slots if p.slot < 2))
            self.assertEqual(scheduler.take_changes(), [])
            scheduler.advance(6)
            change, = scheduler.take_changes()
            self.assertEqual((change.number, change.id, change.kind, change.slot),
                             (0, "j", ChangeKind.COMPLETED, (decision.completion_slot or 0) + 1))
            self.assertEqual((scheduler.live_jobs(), scheduler.take_changes()), ([], []))
            with self.assertRaises(berth.ArgumentError):
                scheduler.advance(5)
            with self.assertRaisesRegex(ValueError, "slot is 4294967302"):
                scheduler.advance(2**32 + 6)

    def test_a_rolling_horizon_goes_along(self) -> None:
        with berth.Scheduler(cluster(), options=berth.Options(rolling=True)) as scheduler:
            scheduler.advance(100)
            self.assertEqual(scheduler.horizon, 112)
            self.assertTrue(scheduler.submit(job(arrival_slot=100)).admitted)

    def test_finished_and_cancelled_jobs_give_back_what_they_hold(self) -> None:
        for end in (berth.Scheduler.finish, berth.Scheduler.cancel):
            with berth.Scheduler(cluster(1)) as scheduler:
                number = scheduler.submit(job()).number
                scheduler.advance(1)
                self.assertEqual(scheduler.used(1, "m0", "gpu"), 4)
                end(scheduler, number)
                self.assertEqual(scheduler.used(1, "m0", "gpu"), 0)
                self.assertIsNone(scheduler.find_job("j"))
                with self.assertRaises(berth.ArgumentError):
                    end(scheduler, number)
                with self.assertRaisesRegex(ValueError, "number is -1"):
                    end(scheduler, -1)

    def test_more_work_than_supposed_delays(self) -> None:
        with berth.Scheduler(cluster(1)) as scheduler:
            number = scheduler.submit(job()).number
            scheduler.advance(1)
            scheduler.report_left(number, 2e6)
            change, = scheduler.take_changes()
            self.assertEqual((change.kind, change.number), (ChangeKind.DELAYED, number))
            self.assertGreater(change.completion_slot or 0, 4)
            plan = scheduler.present_plan(number)
            self.assertEqual(plan.completion_slot, change.completion_slot)
            self.assertIsNone(plan.payoff)
            self.assertIsNone(plan.price_paid)


class Together(unittest.TestCase):
    def test_a_gang_is_all_or_nothing(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            refused = scheduler.submit_gang(0, [job("a"), job("b", samples=1e12)])
            self.assertEqual([d.admitted for d in refused], [False, False])
            self.assertEqual(scheduler.live_jobs(), [])
            taken = scheduler.submit_gang(0, [job("a"), job("b")])
            self.assertEqual([d.admitted for d in taken], [True, True])
            self.assertEqual({live.gang for live in scheduler.live_jobs()}, {taken[0].number})
            with self.assertRaises(berth.ArgumentError):
                scheduler.submit_gang(0, [])

    def test_proposals_are_committed_abandoned_or_lapse(self) -> None:
        with berth.Scheduler(cluster(3)) as scheduler:
            first, = scheduler.propose(0, [job("a")])
            second, = scheduler.propose(0, [job("b")])
            third, = scheduler.propose(0, [job("c")])
            self.assertEqual({live.state for live in scheduler.live_jobs()}, {JobState.PROPOSED})
            scheduler.commit(first.number)
            scheduler.abandon(second.number)
            self.assertEqual([live.id for live in scheduler.live_jobs()], ["a", "c"])
            scheduler.advance(3)
            lapsed = [change for change in scheduler.take_changes() if change.kind == ChangeKind.LAPSED]
            self.assertEqual([change.id for change in lapsed], ["c"])
            for number in (first.number, second.number, third.number):
                with self.assertRaises(berth.ArgumentError):
                    scheduler.commit(number)
            self.assertEqual(scheduler.find_job("a"), first.number)
            counts = scheduler.statistics()
            self.assertEqual((counts.proposed, counts.abandoned, counts.lapsed, counts.live), (3, 1, 1, 1))


class Machines(unittest.TestCase):
    def test_live_jobs_go_by_id_too(self) -> None:
        with berth.Scheduler(cluster(4)) as scheduler:
            proposed = [scheduler.propose(0, job(name)) for name in "ab"]
            self.assertEqual([(len(one), one[0].admitted) for one in proposed], [(1, True)] * 2)
            scheduler.commit("a")
            scheduler.abandon("b")
            live, = scheduler.live_jobs()
            self.assertEqual((live.id, live.state), ("a", JobState.RUNNING))
            self.assertEqual(scheduler.present_plan("a"), scheduler.present_plan(live.number))
            scheduler.submit(job("c"))
            scheduler.advance(1)
            scheduler.report_left("a", 100)
            self.assertEqual([left.samples_left for left in scheduler.live_jobs() if left.id == "a"], [100])
            scheduler.finish("a")
            scheduler.cancel("c")
            self.assertEqual(scheduler.live_jobs(), [])
            statistics = scheduler.statistics()
            self.assertEqual((statistics.finished, statistics.cancelled, statistics.abandoned), (1, 1, 1))
            for use in (scheduler.commit, scheduler.abandon, scheduler.finish, scheduler.cancel, scheduler.present_plan):
                with self.assertRaisesRegex(ValueError, "no live job 'a'"):
                    use("a")
                with self.assertRaisesRegex(TypeError, "job number is 1.5"):
                    use(1.5)  # type: ignore[arg-type]

    def test_a_failure_moves_or_loses_jobs(self) -> None:
        with berth.Scheduler(cluster()) as scheduler:
            decision = scheduler.submit(job())
            machine = decision.slots[0].placements[0].machine
            scheduler.fail_machine(machine)
            change, = scheduler.take_changes()
            self.assertIn(change.kind, (ChangeKind.MOVED, ChangeKind.DELAYED))
            self.assertEqual({p.machine for plan in scheduler.present_plan(decision.number).slots
                              for p in plan.placements}, {1 - machine})
            scheduler.fail_machine(1 - machine)
            change, = scheduler.take_changes()
            self.assertEqual((change.kind, change.completion_slot), (ChangeKind.LOST, None))
            self.assertNotEqual(change.reason, "")
            self.assertEqual(scheduler.statistics().lost, 1)
            self.assertEqual([m.state for m in scheduler.machines()], [MachineState.DOWN] * 2)
            scheduler.return_machine("m0")
            self.assertTrue(scheduler.submit(job("again")).admitted)

    def test_machines_are_added_drained_and_resized(self) -> None:
        with berth.Scheduler(cluster(1)) as scheduler:
            index = scheduler.add_machine("extra", {"gpu": 8, "memory_gb": 32})
            self.assertEqual((index, scheduler.find_machine("extra"), scheduler.find_machine("none")), (1, 1, None))
            extra = scheduler.machines()[1]
            self.assertEqual((extra.name, extra.state, extra.capacity), ("extra", MachineState.UP,
                                                                         {"gpu": 8, "memory_gb": 32}))
            scheduler.drain_machine("m0")
            decision = scheduler.submit(job())
            self.assertEqual({p.machine for plan in decision.slots for p in plan.placements}, {index})
            self.assertGreater(scheduler.machines()[index].held_until, 0)
            scheduler.resize_machine("extra", [2, 32])
            change, = scheduler.take_changes()
            self.assertEqual(change.number, decision.number)
            self.assertLessEqual(scheduler.used(0, "extra", "gpu"), 2)
            counts = scheduler.statistics()
            self.assertEqual((counts.machines_up, counts.machines_draining + counts.machines_down), (1, 1))
            with self.assertRaises(berth.ArgumentError):
                scheduler.add_machine("extra", [1, 1])
            with self.assertRaisesRegex(ValueError, "no machine 'none'"):
                scheduler.fail_machine("none")
            with self.assertRaisesRegex(ValueError, "capacity has 1 amounts; expected 2"):
                scheduler.resize_machine("extra", [1])
            with self.assertRaises(berth.ArgumentError):
                scheduler.fail_machine(7)

    def test_capacity_is_worth_its_prices(self) -> None:
        jobs = stream(20, 1)
        bounds = berth.price_bounds(cluster(), jobs, 1e-4)
        with berth.Scheduler(cluster(), bounds, berth.Options(policy="pdors-ci")) as scheduler:
            for arriving in jobs:
                scheduler.submit(arriving)
            total = sum(scheduler.price(slot, "m0", "gpu") for slot in range(2, 7))
            self.assertGreater(total, 0)
            self.assertAlmostEqual(scheduler.capacity_value(2, 7, "m0", "gpu"), total)
            self.assertEqual(scheduler.capacity_value(50, 60, "m0", "gpu"), 0)

    def test_statistics_add_up(self) -> None:
        with berth.Scheduler(cluster(), options=berth.Options(rolling=True)) as scheduler:
            decisions = [scheduler.submit(arriving) for arriving in stream(25, 20)]
            scheduler.advance(60)
            counts = scheduler.statistics()
            told = [change for change in scheduler.take_changes() if change.kind == ChangeKind.COMPLETED]
        admitted = sum(d.admitted for d in decisions)
        self.assertEqual((counts.submitted, counts.admitted, counts.rejected), (25, admitted, 25 - admitted))
        self.assertEqual((counts.completed, counts.live, len(told)), (admitted, 0, admitted))
        self.assertGreater(counts.utility, 0)


if __name__ == "__main__":
    unittest.main()
