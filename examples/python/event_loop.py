"""The event loop of a cluster: in each slot machines fail or are repaired, running jobs end early, and others arrive, a
thousand in all. ../event_loop.c is the same program in C and prints the same numbers.

SPDX-License-Identifier: Apache-2.0"""
import dataclasses

import berth

MACHINES, JOBS, SLOTS, AHEAD_SLOTS = 20, 1000, 200, 16
FAILS, IS_REPAIRED, ENDS_EARLY = 0.01, 0.1, 0.03  # chances in a slot


class Chance:
    """Numbers of [0, 1) that look random (a linear congruential generator with Knuth's factor)."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def __call__(self) -> float:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 11) / 2**53


def main() -> None:
    chance = Chance(2026)
    world = berth.generate_pdors(berth.GeneratePdorsOptions(machines=MACHINES, jobs=JOBS, slots=SLOTS, max_workers=8))
    jobs = list(world.jobs)  # in order of arrival
    cluster = dataclasses.replace(world.cluster, horizon_slots=AHEAD_SLOTS)
    options = berth.Options(effort=berth.Effort.LOW, rolling=True)
    down = [False] * MACHINES
    failures = submitted = 0
    with berth.Scheduler(cluster, options=options) as scheduler:
        for slot in range(SLOTS):
            scheduler.advance(slot)
            for machine in range(MACHINES):
                if chance() < (IS_REPAIRED if down[machine] else FAILS):
                    if down[machine]:
                        scheduler.return_machine(machine)
                    else:
                        scheduler.fail_machine(machine)
                        failures += 1
                    down[machine] = not down[machine]
            for live in reversed(scheduler.live_jobs()):
                if live.state == berth.JobState.RUNNING and chance() < ENDS_EARLY:
                    scheduler.finish(live.number)
            while submitted < JOBS and jobs[submitted].arrival_slot == slot:
                scheduler.submit(jobs[submitted])  # returns when and where it runs: for whoever launches it
                submitted += 1
            scheduler.take_changes()  # what became of the jobs of earlier slots: likewise
        n = scheduler.statistics()
    print(f"{submitted} jobs: {n.admitted} admitted, {n.rejected} rejected")
    print(f"done: {n.completed} as planned, {n.finished} early; {n.live} run or wait")
    print(f"{failures} failures of machines: {n.lost} jobs lost, {n.delayed} plans late")
    print(f"utility {n.utility:.6f}")


if __name__ == "__main__":
    main()
