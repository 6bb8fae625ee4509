import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { SealedEventStore } from '../../src/adapters/eventstore/sealed-event-store.ts';
import { newId } from '../../src/adapters/random.ts';
import { Ledger } from '../../src/commands/ledger/ledger.ts';
import { commandServices, type CommandContext } from '../../src/commands/context.ts';
import { quotes } from '../../src/commands/summaries/erase-summaries.ts';
import { summaryStreamOf } from '../../src/commands/summaries/summary-stream.ts';
import type { SummaryEvent } from '../../src/domain/summaries/events.ts';
import type { LanguageModel } from '../../src/ports/language-model.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { Term } from '../../src/follow/processor.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import {
  generateSummaries,
  type Generation,
  type GeneratorParts,
  type ScopeContent,
} from '../../src/reactors/summary-generator.ts';
import { summaryScheduleProjection } from '../../src/projections/summary-schedule/summary-schedule.ts';
import { SummaryClaims } from '../../src/reactors/summary-claims.ts';
import { SummaryScheduler } from '../../src/reactors/summary-scheduler.ts';
import { SummaryWriter } from '../../src/reactors/summary-writer.ts';
import { beginReadModel, type LiveReadModel } from '../support/live-read-model.ts';
import { expectSameInAnyDivision } from '../support/read-models.ts';
import { openTestStore, storeTestMemory, updateTestMemory, type TestStore } from '../support/event-store.ts';

let test: TestStore;
let model: LiveReadModel;

beforeAll(async () => {
  test = await openTestStore();
  model = await beginReadModel(test, summaryScheduleProjection({ ...test, windowMs: 1 }));
});

afterAll(() => test.close());

const none: readonly string[] = [];
const never = new AbortController().signal;
const context: CommandContext = {
  caller: {
    tenant: 'acme',
    principal: 'system',
    roles: [],
    orgs: none,
    teams: none,
    projects: none,
    sessions: none,
    agents: none,
  },
  cause: 'system',
  correlationId: 'summaries',
};

function content(count: number, hash = `${count}:a`): ScopeContent {
  const sources = Array.from({ length: count }, (_, n) => ({
    id: newId(),
    revision: 0,
    content: `Pump ${n} of hall ${n % 7} was serviced by team ${n % 5}. It ran ${n * 13} hours with ${['oil', 'water', 'air', 'steam'][n % 4]}.`,
    time: new Date(n * 1_000),
    importance: 0.5,
  }));
  return { sources, namingUsers: new Set(), hash, position: 1_000_000 };
}

function parts(read: GeneratorParts['read']): GeneratorParts {
  const services = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
  return {
    services,
    tokenizer: { name: 'o200k_base', counter: async () => (text) => countTokens(text) },
    read,
  };
}

/** Generates the summaries of one scope; rejects with its error. */
async function generateSummary(parts: GeneratorParts, generation: Generation, signal: AbortSignal) {
  const [outcome] = await generateSummaries(parts, [generation], signal);
  if (typeof outcome === 'object') throw outcome.error;
  return outcome;
}

async function eventsOf(user: string): Promise<SummaryEvent[]> {
  const stream = summaryStreamOf(test.vault, 'acme', { layer: 'user', scope: { user } });
  return (await test.store.load<SummaryEvent>(stream)).map(({ event }) => event);
}

const generationOf = (user: string) => ({
  summarized: { layer: 'user' as const, scope: { user } },
  depths: ['sentence', 'paragraph', 'detailed'] as const,
  trigger: 'changes' as const,
  position: 0,
});

describe('a generation', () => {
  it('[E3] is recorded once for its cause, however often and by how many processes it is tried', async () => {
    const own = parts(async () => content(3));
    const caused = { ...context, causationId: newId() };
    const outcomes = await Promise.all(
      Array.from({ length: 4 }, () =>
        generateSummary(own, { context: caused, ...generationOf('once') }, never),
      ),
    );
    expect(outcomes).toEqual(Array.from({ length: 4 }, () => 'generated'));
    await generateSummary(own, { context: caused, ...generationOf('once') }, never);
    expect(await eventsOf('once')).toHaveLength(1);
  });

  it('[E3] is skipped while the scope holds the same', async () => {
    const skipping = { ...generationOf('same'), skipIfUnchanged: true };
    const again = async (hash: string) =>
      generateSummary(
        parts(async () => content(2, hash)),
        { context: { ...context, causationId: newId() }, ...skipping },
        never,
      );
    expect([await again('2:a'), await again('2:a'), await again('2:b')]).toEqual([
      'generated',
      'unchanged',
      'generated',
    ]);
    const empty = parts(async () => content(0));
    const nothing = { ...generationOf('nobody'), skipIfUnchanged: true };
    expect(
      await generateSummary(empty, { context: { ...context, causationId: newId() }, ...nothing }, never),
    ).toBe('unchanged');
  });

  it('of three depths for a scope of 1,000 memories takes seconds, even on a busy machine', async () => {
    const thousand = content(1_000);
    const started = performance.now();
    await generateSummary(
      parts(async () => thousand),
      { context: { ...context, causationId: newId() }, ...generationOf('large') },
      never,
    );
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('a generation by a language model', () => {
  const inWords = 'Pump 0 of hall 0 was serviced by team 0.';

  /** A process with a model whose answer is `answered`. If it is `killed`, nothing reaches the log once the model was called. */
  function startProcess({ killed = false } = {}) {
    let calls = 0;
    const own = parts(async () => content(2));
    const store = new SealedEventStore(test.log, test.vault);
    const append = store.append.bind(store);
    store.append = (...given) =>
      killed && calls > 0 ? Promise.reject(new Error('killed')) : append(...given);
    const services = { ...own.services, store };
    const ledger = new Ledger(services, {});
    const languageModel: LanguageModel = {
      models: { root: 'large', sub: 'large' },
      thoughtTokens: 0,
      complete: async ({ schema }) => {
        calls++;
        const usage = { model: 'large', inputTokens: 300, outputTokens: 40, requests: 1 };
        return { value: schema.parse(answered), usage };
      },
    };
    const writer = new SummaryWriter({
      ledger,
      languageModel: () => languageModel,
      models: { usual: 'large', cheap: 'small' },
      modelOfSpaces: () => Promise.resolve(undefined),
      timeoutMs: 5_000,
    });
    return { generator: { ...own, services, writer }, services, ledger, called: () => calls };
  }

  const answered = {
    summaries: [
      {
        number: 1,
        texts: ['sentence', 'paragraph', 'detailed'].map((depth) => ({
          depth,
          sentences: [{ text: inWords, sources: [1] }],
        })),
      },
    ],
  };

  it('[E7] is not paid for twice if the process is killed between the call and its result', async () => {
    const own = { ...context, caller: { ...context.caller, tenant: 'killed' }, causationId: newId() };
    const generation = { context: own, ...generationOf('kit') };
    const killed = startProcess({ killed: true });
    await expect(generateSummary(killed.generator, generation, never)).rejects.toThrow('killed');
    expect(killed.called()).toBe(1);

    const { generator, services, ledger, called } = startProcess();
    await generateSummary(generator, generation, never);
    const stream = summaryStreamOf(test.vault, 'killed', generation.summarized);
    const events = (await test.store.load<SummaryEvent>(stream)).map(({ event }) => event.data);
    expect(events).toMatchObject([{ model: 'extractive-1', fallback: 'interrupted' }]);
    expect(called()).toBe(0);
    expect(await ledger.state('killed')).toMatchObject({ spent: { tokens: 0 } });
    const later = { ...services, clock: { now: () => new Date(Date.now() + 600_000) } };
    const { spent, reserved } = await new Ledger(later, {}).state('killed');
    expect(spent.tokens).toBeGreaterThan(340);
    expect(reserved.tokens).toBe(0);
  });

  it('[E7] [H2] goes with each memory that the model was shown, quoted or not', async () => {
    const own = { ...context, caller: { ...context.caller, tenant: 'shown' }, causationId: newId() };
    const { generator, ledger } = startProcess();
    const shown = content(2);
    const generation = { context: own, ...generationOf('sam') };
    await generateSummary({ ...generator, read: async () => shown }, generation, never);
    const stream = summaryStreamOf(test.vault, 'shown', { layer: 'user', scope: { user: 'sam' } });
    const [event] = (await test.store.load<SummaryEvent>(stream)).map((loaded) => loaded.event);
    expect(event!.data).toMatchObject({ model: 'large', shown: shown.sources.map(({ id }) => id) });
    expect(quotes(event!, shown.sources[1]!.id)).toBe(true);
    expect((await ledger.state('shown')).spent).toEqual({ tokens: 340, usd: 0 });
  });
});

describe('the schedule', () => {
  const onFailure = (error: unknown) => {
    throw error;
  };

  function schedule() {
    const { store, sql } = test;
    return new SummaryClaims(sql, store, (_minPosition, body) => body(model.table('summary_schedule')));
  }

  it('[E3] follows the log, and a process that was killed after a generation does not make it again', async () => {
    const claims = schedule();
    const stored = [];
    for (let n = 0; n < 25; n++)
      stored.push(await storeTestMemory(test, { scope: { user: 'bo' }, content: `Note ${n} of Bo` }));
    await updateTestMemory(test, stored[0]!.stream, 'Another note of Bo');
    await model.follow();
    const later = new Date(Date.now() + 60_000);
    const claim = () => claims.claim(later, { limit: 10, claimMs: 60_000 });
    const [row, ...others] = await claim();
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      layer: 'user',
      scope: { user: 'bo' },
      state: { changes: 26 },
      due: { trigger: 'changes' },
    });

    // Another process makes none of what this one has claimed.
    expect(await claim()).toEqual([]);
    await claims.release(row!, 0);

    // Killed between the event and the schedule.
    const own = parts(async () => content(25));
    await generateSummary(
      own,
      {
        context: { ...context, causationId: row!.cause },
        ...generationOf('bo'),
        position: row!.state.position,
      },
      never,
    );
    const stop = new AbortController();
    const scheduler = new SummaryScheduler(
      {
        ...own,
        services: { ...own.services, clock: { now: () => later } },
        claims,
        changed: new WakeUp(),
        windowMs: 1,
        onFailure,
      },
      context,
    );
    const running = scheduler.run({ signal: stop.signal, began: () => undefined } as unknown as Term);
    await expect.poll(() => claims.nextDue()).toBeUndefined();
    stop.abort();
    await running;
    expect((await eventsOf('bo')).map(({ type }) => type)).toEqual(['SummaryGenerated']);
    await model.follow();
    expect(await claims.nextDue()).toBeUndefined();
  });

  it('[E3] no other process makes what one is making, however long that takes', async () => {
    const claims = schedule();
    for (let n = 0; n < 25; n++)
      await storeTestMemory(test, { scope: { user: 'cy' }, content: `Note ${n} of Cy` });
    await model.follow();
    const later = new Date(Date.now() + 60_000);
    let end: () => void = () => undefined;
    const slow = new Promise<void>((resolve) => (end = resolve));
    const own = parts(async () => {
      await slow;
      return content(25);
    });
    const stop = new AbortController();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    try {
      const scheduler = new SummaryScheduler(
        {
          ...own,
          services: { ...own.services, clock: { now: () => later } },
          claims,
          changed: new WakeUp(),
          windowMs: 1,
          onFailure,
        },
        context,
      );
      const running = scheduler.run({ signal: stop.signal, began: () => undefined } as unknown as Term);
      const claimedUntil = async () => {
        const [row] = await test.sql.query<{ until: Date | null }>(
          `select max(c.claimed_until) as until from control.summary_claims c
           join ${model.table('summary_schedule')} s using (tenant, summary) where s.scope ->> 'user' = 'cy'`,
        );
        return row?.until?.getTime() ?? 0;
      };
      await expect.poll(claimedUntil).toBeGreaterThan(Date.now());
      const first = await claimedUntil();
      vi.advanceTimersByTime(60_000);
      await expect.poll(claimedUntil).toBeGreaterThan(first);
      end();
      await expect.poll(async () => (await eventsOf('cy')).length).toBe(1);
      stop.abort();
      await running;
    } finally {
      vi.useRealTimers();
    }
  });

  it('[E3] [G1] is the same however the log is divided into batches', async () => {
    const one = await expectSameInAnyDivision(test, summaryScheduleProjection({ ...test, windowMs: 1 }));
    await model.follow();
    expect(await model.digest()).toBe(one);
  });
});
