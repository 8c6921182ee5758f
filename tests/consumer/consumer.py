"""A program outside the tree: decides a job and solves a problem with an installed berth."""
import math

import berth

cluster = berth.Cluster(slot_seconds=600, horizon_slots=4, resources=["gpu"], machines={"m-0": [4], "m-1": [4]})
job = berth.Job(id="j", epochs=1, samples=1000, batch=8, max_workers=4, sample_seconds=0.01, gradient_mb=1,
                bandwidth_internal_mb_s=1000, bandwidth_external_mb_s=100, worker={"gpu": 1}, all_reduce=True,
                utility=berth.Utility.constant(5))
with berth.Scheduler(cluster) as scheduler:
    decision = scheduler.submit(job)
    assert decision.admitted and decision.utility == 5, decision

problem = berth.Problem.by_rows([2, 3], [(2, {0: 1, 1: 1}, math.inf), (3, {0: 1, 1: 2}, math.inf)],
                                is_integer=[True, True])
solution = berth.solve(problem)
assert solution.cost == 5 and berth.check_solution(problem, solution).ok, solution
print(f"berth {berth.version()} from Python: utility {decision.utility:g}, cost {solution.cost:g}")
