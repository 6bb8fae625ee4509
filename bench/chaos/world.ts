import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../test/support/random.ts';
import type { ServerAddress } from '../../test/support/server.ts';
import type { FaultKind } from './schedule.ts';

/** A fault that can be injected. */
export interface ChaosFault extends FaultKind {
  /** Resolves when the fault is over and everything that it stopped is started again. */
  inject(forMs: number, random: Random): Promise<void>;
}

/** The program with what it stores its data in, which can be made to fail. */
export interface World {
  readonly profile: string;
  /** Where keys are made and checks are done. */
  readonly address: ServerAddress;
  /** Base URLs of the API, updated in place when a process is replaced. */
  readonly urls: string[];
  readonly faults: readonly ChaosFault[];
  /** Faults that are impossible here, with the reason. */
  readonly skipped: readonly string[];
  /** Whether positions of the log are dense, so that a missing one is a fault. */
  readonly hasDensePositions: boolean;
  /** Processes that ended although no fault ended them. */
  readonly endedByThemselves: string[];
  /** Ends what may be left of any fault. */
  heal(): Promise<void>;
  remove(): Promise<void>;
}

/** A fault of the clock or the disk: on while it lasts. */
export function switched(
  name: string,
  lasts: readonly [number, number],
  on: (random: Random) => Promise<void>,
  off: () => Promise<void>,
): ChaosFault {
  return {
    name,
    lasts,
    async inject(forMs, random) {
      await on(random);
      await sleep(forMs);
      await off();
    },
  };
}
