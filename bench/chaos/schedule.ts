import { drawFaults } from '../../test/support/cluster-faults.ts';
import type { Random } from '../../test/support/random.ts';

/** A fault as the schedule sees it. */
export interface FaultKind {
  readonly name: string;
  /** Range of its duration in milliseconds. */
  readonly lasts: readonly [least: number, most: number];
  /** Whether it is one tenant that asks for too much. A flood may go on while something else fails. */
  readonly isFlood?: boolean;
}

export interface PlannedFault {
  readonly name: string;
  readonly atMs: number;
  readonly forMs: number;
}

/** Calm time at the start and at the end, for figures to compare with. */
const calmMs = 8_000;
/** Time between the end of a fault and the next one. */
const gapMs = [3_000, 7_000] as const;
const overlapChance = 0.4;

/**
 * Draws faults for a run of `totalMs`, in order of their start. The same random numbers give the same schedule. No fault is repeated
 * before each was drawn once. Faults do not overlap, except that a fault may begin in the middle of a flood.
 */
export function schedule(kinds: readonly FaultKind[], totalMs: number, random: Random): PlannedFault[] {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]));
  const planned: PlannedFault[] = [];
  let earliest = Math.min(calmMs, totalMs / 4);
  const end = totalMs - earliest;
  const shortest = Math.min(...kinds.map(({ lasts }) => lasts[0])) + gapMs[0];
  const most = Math.ceil((2 * totalMs) / shortest);
  for (const name of drawFaults([...byName.keys()], most, random)) {
    const kind = byName.get(name)!;
    const forMs = random.int(...kind.lasts);
    const before = planned.at(-1);
    const isBesideFlood =
      before !== undefined &&
      byName.get(before.name)!.isFlood === true &&
      kind.isFlood !== true &&
      random.chance(overlapChance);
    const atMs = isBesideFlood ? before.atMs + Math.round(before.forMs / 3) : earliest;
    if (atMs + forMs > end) continue;
    planned.push({ name, atMs, forMs });
    earliest = Math.max(earliest, atMs + forMs + random.int(...gapMs));
  }
  return planned;
}
