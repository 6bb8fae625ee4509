import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import type { CommandContext } from '../../src/commands/context.ts';
import { summaryStreamOf } from '../../src/commands/summaries/summary-stream.ts';
import type { SummaryEvent } from '../../src/domain/summaries/events.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { ManagedProcessor } from '../../src/processors/managed-processor.ts';
import { migrate } from '../../src/adapters/migrate.ts';
import { summaryScheduleSchema } from '../../src/processors/summary-schedule-schema.ts';
import type { Term } from '../../src/processors/processor.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import {
  generateSummary,
  type GeneratorParts,
  type ScopeContent,
} from '../../src/worker/summary-generator.ts';
import { summaryScheduleManager } from '../../src/worker/summary-schedule-manager.ts';
import { SummaryScheduleTable } from '../../src/worker/summary-schedule-table.ts';
import { SummaryScheduler } from '../../src/worker/summary-scheduler.ts';
import { openTestStore, storeTestMemory, updateTestMemory, type TestStore } from '../support/event-store.ts';

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
  await migrate(test.sql, 'summary-schedule', summaryScheduleSchema);
});

afterAll(() => test.close());

const none: readonly string[] = [];
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
  const services = { store: test.store, vault: test.vault, clock: systemClock, newId };
  return {
    services,
    tokenizer: { name: 'o200k_base', counter: async () => (text) => countTokens(text) },
    read,
  };
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
      Array.from({ length: 4 }, () => generateSummary(own, caused, generationOf('once'))),
    );
    expect(outcomes).toEqual(Array.from({ length: 4 }, () => 'generated'));
    await generateSummary(own, caused, generationOf('once'));
    expect(await eventsOf('once')).toHaveLength(1);
  });

  it('[E3] is skipped while the scope holds the same', async () => {
    const skipping = { ...generationOf('same'), skipIfUnchanged: true };
    const again = async (hash: string) =>
      generateSummary(
        parts(async () => content(2, hash)),
        { ...context, causationId: newId() },
        skipping,
      );
    expect([await again('2:a'), await again('2:a'), await again('2:b')]).toEqual([
      'generated',
      'unchanged',
      'generated',
    ]);
    const empty = parts(async () => content(0));
    const nothing = { ...generationOf('nobody'), skipIfUnchanged: true };
    expect(await generateSummary(empty, { ...context, causationId: newId() }, nothing)).toBe('unchanged');
  });

  it('of three depths for a scope of 1,000 memories takes less than two seconds', async () => {
    const thousand = content(1_000);
    const started = performance.now();
    await generateSummary(
      parts(async () => thousand),
      { ...context, causationId: newId() },
      generationOf('large'),
    );
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

describe('the schedule', () => {
  it('[E3] follows the log, and a process that was killed after a generation does not make it again', async () => {
    const { store, sql } = test;
    const services = { store, vault: test.vault, clock: systemClock, newId };
    const table = new SummaryScheduleTable(sql, store);
    const onParked = (error: unknown) => {
      throw error;
    };
    const manager = new ManagedProcessor(summaryScheduleManager({ services, table, windowMs: 1 }, context), {
      sql,
      store,
      onParked,
    });
    const stored = [];
    for (let n = 0; n < 25; n++)
      stored.push(await storeTestMemory(test, { scope: { user: 'bo' }, content: `Note ${n} of Bo` }));
    await updateTestMemory(test, stored[0]!.stream, 'Another note of Bo');
    await manager.catchUp();
    const later = new Date(Date.now() + 60_000);
    const [row, ...others] = await table.due(later, 10);
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      layer: 'user',
      scope: { user: 'bo' },
      state: { changes: 26 },
      due: { trigger: 'changes' },
    });

    // Killed between the event and the schedule.
    const own = parts(async () => content(25));
    await generateSummary(
      own,
      { ...context, causationId: row!.cause },
      { ...generationOf('bo'), position: row!.state.position },
    );
    const stop = new AbortController();
    const scheduler = new SummaryScheduler(
      {
        ...own,
        services: { ...own.services, clock: { now: () => later } },
        table,
        changed: new WakeUp(),
        onFailure: onParked,
      },
      context,
    );
    const running = scheduler.run({ signal: stop.signal, began: () => undefined } as unknown as Term);
    await expect.poll(() => table.due(later, 10)).toEqual([]);
    stop.abort();
    await running;
    expect((await eventsOf('bo')).map(({ type }) => type)).toEqual(['SummaryGenerated']);
    await manager.catchUp();
    expect(await table.due(new Date(Date.now() + 1e12), 10)).toEqual([]);
  });
});
