"""Cohorts of clients, and who trains."""
from __future__ import annotations

import math
import tempfile
import unittest
from pathlib import Path

import berth
from berth import cohort
from berth.selector import ChoiceKind, Selection, Selector, SelectorOptions

INSTANCES = Path(__file__).resolve().parents[3] / "instances" / "cohort"


def three_clients() -> cohort.Data:
    """Two categories; the third client has most and is slow."""
    return cohort.Data([0, 1, 2, 4], [0, 1, 0, 1], [10, 10, 50, 50], 2, ms_per_sample=[10, 10, 100],
                       bandwidth_kbps=[65536, 65536, 65536], clients=["a", "b", "c"], categories=["cat", "dog"])


class Picking(unittest.TestCase):
    def test_the_fastest_and_the_smallest_cohort(self) -> None:
        data = three_clients()
        fastest = cohort.pick(data, cohort.Request(requests=[10, 10]))
        self.assertEqual([(p.client, p.samples) for p in fastest.participants], [(0, {0: 10}), (1, {1: 10})])
        self.assertAlmostEqual(fastest.duration_s or 0, 1.1)
        self.assertTrue(cohort.check_cohort(data, cohort.Request(requests=[10, 10]), fastest).ok)
        smallest = cohort.pick(data, cohort.Request(requests=[10, 10], objective=cohort.Objective.PARTICIPANTS))
        self.assertEqual([p.client for p in smallest.participants], [2])
        self.assertEqual(smallest.participants_bound, 1)

    def test_requests_have_three_forms_and_limits(self) -> None:
        data = three_clients()
        everything = cohort.pick(data, cohort.Request(all=[0]))
        self.assertEqual(list(everything.requests), [60, 0])
        alike = cohort.pick(data, cohort.Request(representative=12))
        self.assertEqual(list(alike.requests), [6, 6])
        only = cohort.pick(data, cohort.Request(requests=[10, 10], eligible=[2]))
        self.assertEqual([p.client for p in only.participants], [2])
        nobody = cohort.pick(data, cohort.Request(requests=[1, 0], eligible=[]))
        self.assertEqual((nobody.outcome, nobody.reason), (berth.Outcome.INFEASIBLE, cohort.Reason.SUPPLY))
        self.assertEqual(list(nobody.missing or ()), [1, 0])
        self.assertEqual(cohort.reason_name(nobody.reason), "supply")
        capped = cohort.pick(data, cohort.Request(requests=[60, 0], client_cap=20))
        self.assertEqual(capped.reason, cohort.Reason.SUPPLY)
        late = cohort.pick(data, cohort.Request(requests=[20, 0], deadline_s=1.5))
        self.assertEqual(late.reason, cohort.Reason.DEADLINE)
        self.assertIsNone(late.duration_s)

    def test_files_come_back(self) -> None:
        data = cohort.Data.read(INSTANCES / "speech.csv.gz", INSTANCES / "speech.profiles.csv.gz")
        self.assertEqual((data.n_clients, data.n_categories), (2187, 35))
        self.assertEqual((len(data.clients or ()), len(data.categories or ())), (2187, 35))
        request = cohort.read_request(INSTANCES / "speech-fast.json", data)
        found = cohort.pick(data, request, cohort.Options(effort=0.1))
        self.assertLessEqual(len(found.participants), request.budget)
        self.assertTrue(cohort.check_cohort(data, request, found).ok)
        again = cohort.Data(data.row_start, data.category, data.count, data.n_categories, clients=data.clients,
                            categories=data.categories, ms_per_sample=data.ms_per_sample,
                            bandwidth_kbps=data.bandwidth_kbps)
        with tempfile.TemporaryDirectory() as folder:
            counts, profiles, result = (Path(folder) / name for name in ("counts.csv", "profiles.csv", "cohort.json"))
            again.write(counts, profiles)
            self.assertEqual(cohort.Data.read(counts, profiles).bandwidth_kbps, data.bandwidth_kbps)
            cohort.write_cohort(found, again, result)
            self.assertEqual(cohort.read_cohort(result, data).participants, found.participants)
            cohort.write_request(request, data, result)
            self.assertEqual(cohort.read_request(result, again).requests, request.requests)
        with self.assertRaises(berth.InputError):
            cohort.Data.read(INSTANCES / "speech.csv.gz", INSTANCES / "speech.csv.gz")

    def test_bad_data_is_refused(self) -> None:
        with self.assertRaisesRegex(ValueError, "count has 1 entries; row_start ends with 2"):
            cohort.Data([0, 2], [0, 1], [5], 2)
        with self.assertRaisesRegex(ValueError, "bandwidth_kbps has 1 entries; expected 2"):
            cohort.Data([0, 1, 1], [0], [5], 1, ms_per_sample=[1, 1], bandwidth_kbps=[1])
        with self.assertRaisesRegex(ValueError, "category"):
            cohort.Data([0, 1], [-1], [5], 1)
        with self.assertRaisesRegex(ValueError, "requests has 1 entries; expected 2"):
            cohort.pick(three_clients(), cohort.Request(requests=[1]))
        with self.assertRaises(berth.BerthError):
            cohort.pick(cohort.Data([0, 1], [7], [5], 1), cohort.Request(representative=1))

    def test_how_many_and_whom(self) -> None:
        options = cohort.SizeOptions(deviation=0.05, range=1, clients=1000)
        participants, exact = cohort.size(options)
        expected = 1001 / (1 + 2000 * 0.05**2 / math.log(1 / 0.05))
        self.assertAlmostEqual(exact, expected)
        self.assertEqual(participants, math.ceil(expected))
        drawn = cohort.sample(1000, participants, seed=5)
        self.assertEqual(len(set(drawn)), participants)
        self.assertEqual(drawn, cohort.sample(1000, participants, seed=5))
        self.assertNotEqual(drawn, cohort.sample(1000, participants, seed=6))
        self.assertEqual(len(cohort.sample(3, 0)), 0)
        with self.assertRaises(ValueError):
            cohort.sample(3, 4)


class Training(unittest.TestCase):
    def test_rounds(self) -> None:
        with Selector(SelectorOptions(seed=3, exploration=0.5, overcommit=1)) as selector:
            for i in range(20):
                self.assertEqual(selector.register(f"c{i}", 1 + i if i < 10 else None), i)
            first = selector.select(6)
            self.assertEqual((first.round, len(first.choices), first.n_explored), (1, 6, 6))
            for choice in first.choices:
                selector.report(choice.client, 32, 2.25, 4.0)
            self.assertEqual(selector.state.n_reported, 6)
            client = selector.client(first.choices[0].client)
            self.assertAlmostEqual(client.utility or 0, 48)
            self.assertEqual((client.duration_s, client.selections, client.blacklisted), (4.0, 1, False))
            self.assertIsNone(selector.client(19).declared_s)
            selector.declare(19, 2.0)
            self.assertEqual(selector.client(19).declared_s, 2.0)
            second = selector.select(6, [c.client for c in first.choices])
            self.assertEqual({c.kind for c in second.choices}, {ChoiceKind.EXPLOIT})
            self.assertEqual(selector.select(6, []).choices, ())

    def test_snapshots_go_on_alike(self) -> None:
        selector = Selector()
        for i in range(30):
            selector.register(declared_s=1 + i)
        selector.select(5)
        with tempfile.TemporaryDirectory() as folder:
            selector.write(Path(folder) / "state")
            others = [Selector.restore(selector.snapshot()), Selector.read(Path(folder) / "state")]
        expected = selector.select(5)
        self.assertEqual([other.select(5) for other in others], [expected, expected])
        with self.assertRaises(berth.InputError):
            Selector.restore(selector.snapshot()[:-1])
        with self.assertRaises(berth.InputError):
            Selector.restore(b"")

    def test_logs_are_replayed(self) -> None:
        selections: list[Selection] = []
        Selector().replay(INSTANCES / "rounds.jsonl", selections.append)
        self.assertGreater(len(selections), 1)
        self.assertEqual([s.round for s in selections], list(range(1, len(selections) + 1)))

        def stop(selection: Selection) -> bool:
            return selection.round < 2

        stopped = Selector()
        with self.assertRaises(berth.CancelledError):
            stopped.replay(INSTANCES / "rounds.jsonl", stop)
        self.assertEqual(stopped.state.round, 2)

        def fail(selection: Selection) -> None:
            raise LookupError("seen")

        with self.assertRaisesRegex(LookupError, "seen"):
            Selector().replay(INSTANCES / "rounds.jsonl", fail)

    def test_errors(self) -> None:
        selector = Selector()
        with self.assertRaises(berth.ArgumentError):
            selector.report(0, 1, 1, 1)
        with self.assertRaisesRegex(ValueError, "client"):
            selector.client(-1)
        with self.assertRaises(berth.ArgumentError):
            Selector(SelectorOptions(exploration=2))
        selector.close()
        with self.assertRaisesRegex(ValueError, "the selector has been closed"):
            selector.register()


if __name__ == "__main__":
    unittest.main()
