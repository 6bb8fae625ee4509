import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Leases } from '../../src/ports/leases.ts';
import { CheckpointMoved, LeaseLost, type EventProcessor } from '../../src/follow/processor.ts';
import { ProcessorRunner } from '../../src/follow/processor-runner.ts';
import { eventually } from '../support/eventually.ts';

/** One kind of event processor with its own log. */
export interface ProcessorHarness {
  /** Creates a processor like a new process, with the same log and database. */
  create(): EventProcessor;
  /** Appends an event that the processor handles. Returns its position. */
  append(stream: string): Promise<number>;
  /** The positions of the events that took effect, in the order of their effects. */
  effects(): Promise<number[]>;
  /** The persisted checkpoint. */
  checkpoint(): Promise<number>;
  /** While broken, no effect can be written, as if the database or the brokers were down. */
  breakEffects(isBroken: boolean): void;
  /** Makes every event of the stream fail. Only defined for processors that park streams. */
  readonly failStream?: (stream: string) => void;
  /** Whether effects are written in the transaction of the checkpoint, so that none is ever repeated. */
  readonly isTransactional: boolean;
  close(): Promise<void>;
}

/** Leases of several processes. A test can give the lease of one process to another. */
class SharedLeases {
  readonly #held = new Map<string, { holder: string; epoch: number }>();

  as(holder: string): Leases {
    return {
      hold: async (name) => {
        const lease = this.#held.get(name);
        if (lease && lease.holder !== '' && lease.holder !== holder) return undefined;
        if (lease?.holder !== holder) this.give(name, holder);
        return this.#held.get(name)!.epoch;
      },
      holders: async () => new Map(),
      release: async (name) => {
        const lease = this.#held.get(name);
        if (lease?.holder === holder) lease.holder = '';
      },
    };
  }

  give(name: string, holder: string): void {
    this.#held.set(name, { holder, epoch: (this.#held.get(name)?.epoch ?? 0) + 1 });
  }
}

/** Contract of every event processor. */
export function describeEventProcessor(
  kind: string,
  open: () => Promise<ProcessorHarness>,
  { parks }: { readonly parks: boolean },
): void {
  describe(`[F1] an event processor: ${kind}`, () => {
    let harness: ProcessorHarness;
    let leases: SharedLeases;
    let errors: unknown[];
    const running: ProcessorRunner[] = [];

    beforeEach(async () => {
      harness = await open();
      leases = new SharedLeases();
      errors = [];
    });

    afterEach(async () => {
      harness.breakEffects(false);
      await Promise.all(running.splice(0).map((runner) => runner.stop()));
      await harness.close();
    });

    const start = (holder: string, own: Leases = leases.as(holder)): ProcessorRunner => {
      const onError = (error: unknown) => void errors.push(error);
      const runner = new ProcessorRunner(harness.create(), { leases: own, onError });
      running.push(runner);
      runner.start();
      return runner;
    };
    const appendAll = async (...streams: string[]): Promise<number[]> => {
      const positions: number[] = [];
      for (const stream of streams) positions.push(await harness.append(stream));
      return positions;
    };

    it('handles existing events, then new ones, in order', async () => {
      const before = await appendAll('one', 'two');
      const runner = start('a');
      await eventually(() => harness.effects()).toEqual(before);
      const after = await appendAll('one', 'three');
      await eventually(() => harness.effects()).toEqual([...before, ...after]);
      await eventually(() => harness.checkpoint()).toBe(after.at(-1));
      await eventually(() => runner.status).toMatchObject({ state: 'active', position: after.at(-1) });
      expect(errors).toEqual([]);
    });

    it('continues at its checkpoint after a restart: no event is handled again, none is skipped', async () => {
      const before = await appendAll('one', 'two');
      const first = start('a');
      await eventually(() => harness.checkpoint()).toBe(before.at(-1));
      await first.stop();
      const after = await appendAll('two', 'three');
      start('b');
      await eventually(() => harness.effects()).toEqual([...before, ...after]);
    });

    it('moves the checkpoint only together with the effects, and retries until both are written', async () => {
      const first = await harness.append('one');
      const runner = start('a');
      await eventually(() => harness.checkpoint()).toBe(first);
      harness.breakEffects(true);
      const second = await harness.append('two');
      await eventually(() => runner.status.state).toBe('failing');
      expect(runner.status.error).toEqual(expect.any(String));
      expect(await harness.checkpoint()).toBe(first);
      expect(await harness.effects()).toEqual([first]);
      harness.breakEffects(false);
      await eventually(() => harness.checkpoint()).toBe(second);
      await eventually(() => harness.effects()).toEqual([first, second]);
    });

    it('runs in one process, and in another one when that stops', async () => {
      const before = await appendAll('one');
      const first = start('a');
      await eventually(() => harness.checkpoint()).toBe(before.at(-1));
      const second = start('b');
      await eventually(() => second.status.state).toBe('standby');
      await first.stop();
      const after = await appendAll('two');
      await eventually(() => harness.effects()).toEqual([...before, ...after]);
      expect(second.status.state).toBe('active');
    });

    it('stops when it loses the lease', async () => {
      const before = await appendAll('one');
      const runner = start('a');
      await eventually(() => harness.checkpoint()).toBe(before.at(-1));
      leases.give(runner.processor.name, 'b');
      await eventually(() => runner.status.state).toBe('standby');
      expect(errors).toEqual([expect.any(LeaseLost)]);
      await harness.append('two');
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(await harness.effects()).toEqual(before);
      expect(await harness.checkpoint()).toBe(before.at(-1));
    });

    it('writes nothing twice if two processes both believe that they hold the lease', async () => {
      let epoch = 0;
      const always = (): Leases => {
        const own = ++epoch;
        return { hold: async () => own, holders: async () => new Map(), release: async () => {} };
      };
      start('a', always());
      start('b', always());
      const positions = await appendAll('one', 'two', 'three', 'one', 'two', 'three');
      await eventually(() => harness.checkpoint()).toBe(positions.at(-1));
      const effects = await harness.effects();
      expect([...new Set(effects)]).toEqual(positions);
      if (harness.isTransactional) expect(effects).toEqual(positions);
      expect(errors.filter((error) => error instanceof CheckpointMoved)).toEqual([]);
    });

    if (!parks) return;

    it('parks the stream of a failed event, and handles other streams', async () => {
      harness.failStream!('bad');
      const runner = start('a');
      const [first, , second, , third] = await appendAll('one', 'bad', 'one', 'bad', 'two');
      await eventually(() => harness.effects()).toEqual([first, second, third]);
      await eventually(() => harness.checkpoint()).toBe(third);
      expect(runner.status.state).toBe('active');
    });
  });
}
