"""Small clusters and jobs for the tests."""
from __future__ import annotations

from typing import Any

import berth


def cluster(machines: int = 2, gpus: float = 4, horizon_slots: int = 12, **others: Any) -> berth.Cluster:
    return berth.Cluster(slot_seconds=600, horizon_slots=horizon_slots, resources=["gpu", "memory_gb"],
                         machines={f"m{i}": {"gpu": gpus, "memory_gb": 64} for i in range(machines)}, **others)


def job(name: str = "j", **changes: Any) -> berth.Job:
    """At full width on one machine it takes four slots and a half of the cluster above."""
    values: dict[str, Any] = dict(
        id=name, epochs=1, samples=1e6, batch=8, max_workers=4, sample_seconds=0.01, gradient_mb=1,
        bandwidth_internal_mb_s=1000, bandwidth_external_mb_s=100, worker={"gpu": 1, "memory_gb": 8}, all_reduce=True,
        utility=berth.Utility.linear(10, 12))
    values.update(changes)
    return berth.Job(**values)


def stream(n: int, slots: int, seed: int = 1) -> list[berth.Job]:
    """n jobs of different sizes that arrive over slots."""
    jobs = []
    for i in range(n):
        seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
        part = (seed >> 11) / 2**53
        jobs.append(job(f"j{i}", arrival_slot=i * slots // n, samples=1e5 * (1 + 9 * part),
                        utility=berth.Utility.sigmoid(1 + 9 * part, 0.5, 4)))
    return jobs


def knapsack(n: int = 40) -> berth.Problem:
    """max sum_j (3 + j mod 7) x_j, so that sum_j (2 + j mod 5) x_j <= n, x binary."""
    return berth.Problem.by_rows(
        [3 + j % 7 for j in range(n)], [(float("-inf"), {j: 2 + j % 5 for j in range(n)}, n)],
        upper=[1] * n, is_integer=[True] * n, maximize=True, name="knapsack")


def some_jobs(seed: int = 1) -> berth.Instance:
    """Ten jobs on ten machines, of which some are admitted."""
    return berth.generate_pdors(berth.GeneratePdorsOptions(seed=seed, machines=10, jobs=10, slots=16, mix=(20, 80, 0)))
