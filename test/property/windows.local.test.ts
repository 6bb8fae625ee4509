import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { MemoryEvent } from '../../src/domain/memory/events.ts';
import { evolve, initialState, type MemoryState } from '../../src/domain/memory/memory.ts';
import { windowAt, windowOf } from '../../src/domain/ranking/window.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';
import { isWithheld } from '../../src/domain/trust/trust.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { lexical } from '../../src/projections/lexical/lexical.ts';
import { tablesOf } from '../../src/projections/projection.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import { PlannerSettings } from '../../src/queries/search/sources/planner-settings.ts';
import { readNeighbours } from '../../src/queries/search/sources/neighbours.ts';
import { assertWithin } from '../support/assert-within.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { HistoryWriter, steps } from '../support/histories.ts';
import { eventsOf, follow, startAfresh } from '../support/read-models.ts';

const terms = ['tea', 'kettl', 'run', 'bob', '1.27', 'x'];
const tables = tablesOf(1);
const view = {
  table: (projection, table = projection) => tables(table),
  signature: () => '',
} as Partial<ReadView> as ReadView;

/** Histories in which most memories are turns of one session, in two layers. */
const talks = fc
  .array(steps, { minLength: 3, maxLength: 3 })
  .map((histories) =>
    histories
      .flat()
      .map((step) =>
        step.kind !== 'store' || step.layer === 'team'
          ? step
          : { ...step, tenant: 'acme' as const, session: 's1' as const },
      ),
  );

let test: TestStore;

beforeAll(async () => {
  test = await openTestStore();
});

afterAll(() => test.close());

interface Turn {
  readonly id: string;
  readonly tenant: string;
  /** Identifies the readers and the session of the turn. */
  readonly place: string;
  readonly order: readonly [time: number, position: number];
  readonly content: string;
}

/** The active turns of a log, in the order of the conversation. */
function turnsOf(events: readonly LoadedEvent[]): Turn[] {
  const memories = new Map<string, { first: LoadedEvent; state: MemoryState }>();
  for (const fact of events) {
    if (!fact.stream.startsWith('memory-')) continue;
    const { first, state } = memories.get(fact.stream) ?? { first: fact, state: initialState };
    const now: MemoryState = fact.erased ? { status: 'erased' } : evolve(state, fact.event as MemoryEvent);
    memories.set(fact.stream, { first, state: now });
  }
  const turns = [...memories.values()].flatMap(({ first, state }): Turn[] => {
    if (state.status !== 'active' || isWithheld(state.value)) return [];
    if (state.value.scope.session === undefined) return [];
    const { id, layer, scope, content, occurredAt } = state.value;
    const { tenant } = first.metadata;
    const { user, team, session } = scope;
    const time = occurredAt === undefined ? first.time.getTime() : Date.parse(occurredAt);
    const place = JSON.stringify([tenant, layer, user, team, session]);
    return [{ id, tenant, place, order: [time, first.position], content }];
  });
  return turns.sort(({ order: a }, { order: b }) => a[0] - b[0] || a[1] - b[1]);
}

function counted(content: string) {
  const { counts, length } = termCounts(content);
  return { length, termFrequencies: new Map(terms.map((term) => [term, counts.get(term) ?? 0])) };
}

describe('[A8] the window of a turn', () => {
  it('consists of the active turns of its session with the same readers, whatever happened to other turns', async () => {
    let compared = 0;
    await assertWithin(
      fc.asyncProperty(talks, fc.integer({ min: 1, max: 20 }), async (history, size) => {
        await startAfresh(test);
        const writer = new HistoryWriter(test);
        for (const step of history) await writer.write(step);
        const projection = lexical();
        await ensureLive(test.sql, projection);
        await follow(test, new Generation(test.sql, projection, 1), () => size);
        const turns = turnsOf(await eventsOf(test));
        for (const tenant of ['acme', 'globex']) {
          const own = turns.filter((turn) => turn.tenant === tenant);
          const neighbours: Awaited<ReturnType<typeof readNeighbours>> = await test.sql.transaction(
            (tx) => {
              const context = { tx, view, planner: new PlannerSettings(tx) };
              return readNeighbours(
                context,
                tenant,
                terms,
                own.map(({ id }) => id),
              );
            },
            { tenant, readOnly: true },
          );
          for (const { id, place, content } of own) {
            const session = own.filter((turn) => turn.place === place);
            const index = session.findIndex((turn) => turn.id === id);
            const around = (neighbours.get(id) ?? []).map(({ length, frequencies }) => ({
              length,
              termFrequencies: new Map(terms.map((term, n) => [term, frequencies[n] ?? 0])),
            }));
            const expected = windowAt(
              session.map((turn) => counted(turn.content)),
              index,
            );
            expect(windowOf([counted(content), ...around])).toEqual(expected);
            if (around.length > 0) compared++;
          }
        }
      }),
      { numRuns: 20, limitMs: 15_000 },
    );
    expect(compared).toBeGreaterThan(0);
  }, 60_000);
});
