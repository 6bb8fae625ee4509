import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { commandServices, type CommandContext } from '../../src/commands/context.ts';
import { Ledger } from '../../src/commands/ledger/ledger.ts';
import type { LessonEvent, TraceEvent } from '../../src/domain/experience/events.ts';
import type { Attempt } from '../../src/domain/experience/lessons.ts';
import { lessonStream } from '../../src/domain/streams.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { LessonReactor } from '../../src/reactors/lesson-reactor.ts';
import { LessonWriter } from '../../src/reactors/lesson-writer.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { fakeLanguageModel } from '../support/fake-language-model.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

const system = {
  principal: 'system',
  roles: [],
  orgs: [],
  teams: [],
  projects: [],
  sessions: [],
  agents: [],
};
const context: CommandContext = {
  caller: { ...system, tenant: 'acme' },
  cause: 'system',
  correlationId: 'lessons',
};
const never = new AbortController().signal;
const sentence = { text: 'Narrow filter.', attempts: [1] };
const lesson = { title: sentence, description: sentence, do: [sentence], avoid: [] };

/** Reactors of a tenant whose attempts are all at one question. */
function setUp(tenant: string) {
  const services = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
  const model = fakeLanguageModel(lesson);
  const attempts: Attempt[] = [];
  /** The positions that reads of lessons had to include. */
  const included: number[] = [];
  let drawn: { lessonId: string; traceIds: readonly string[] } | undefined;
  const place = { layer: 'user' as const, scope: { user: 'mia' } };
  const eventsOf = async (lessonId: string) =>
    (await test.store.load<LessonEvent>(lessonStream(tenant, lessonId))).map(({ event }) => event);
  const newManager = () =>
    new LessonReactor(
      {
        services,
        reads: {
          attemptsLike: async () => attempts,
          attempts: async (_, ids) => attempts.filter(({ id }) => ids.includes(id)),
          drawnFrom: async (_, ids, minPosition) => {
            included.push(minPosition);
            return drawn?.traceIds.some((id) => ids.includes(id)) ? [{ ...drawn, ...place }] : [];
          },
        },
        writer: new LessonWriter({
          ledger: new Ledger(services, {}),
          languageModel: () => model,
          models: { usual: 'large', cheap: 'small' },
          modelOfSpaces: () => Promise.resolve(undefined),
          timeoutMs: 10_000,
          tokenizer: { name: 'o200k_base', counter: async () => countTokens },
          isAllowed: async () => true,
        }),
      },
      context,
    );
  /** An attempt that is recorded, as the reactor gets it. */
  function recorded(): LoadedEvent {
    const texts = { query: 'Which index?', approach: 'narrow filter', outcome: 'success' as const };
    const traceId = newId();
    attempts.push({ id: traceId, position: attempts.length + 1, ...texts });
    const event: TraceEvent = {
      type: 'ReasoningTraceRecorded',
      data: { traceId, ...place, origin: 'caller', memoryIds: [], ...texts },
    };
    return loadedOf(event);
  }
  function erased(traceId: string): LoadedEvent {
    attempts.splice(0, attempts.length, ...attempts.filter(({ id }) => id !== traceId));
    return loadedOf({ type: 'ReasoningTraceErased', data: { traceId, keyId: 'key', memoryId: newId() } });
  }
  const loadedOf = (event: TraceEvent) =>
    ({
      id: newId(),
      event,
      erased: false,
      position: attempts.length,
      metadata: { tenant, correlationId: 'test' },
    }) as LoadedEvent;
  const follow = async (lessonId: string) => {
    const last = (await eventsOf(lessonId)).at(-1);
    if (last && last.type !== 'LessonForgotten') drawn = { lessonId, traceIds: last.data.traceIds };
  };
  return { model, attempts, included, newManager, recorded, erased, eventsOf, follow };
}

it('[C10] a lesson is written and paid for once for its attempts, however often they are handled', async () => {
  const { model, attempts, newManager, recorded, eventsOf, follow } = setUp('once');
  const batch = [recorded(), recorded(), recorded()];
  await newManager().handle(batch.slice(0, 1), { signal: never });
  const lessonId = attempts[0]!.id;
  await follow(lessonId);
  expect(model.requests).toHaveLength(1);
  await newManager().handle(batch, { signal: never });
  await newManager().handle(batch, { signal: never });
  expect(model.requests).toHaveLength(1);
  expect(await eventsOf(lessonId)).toMatchObject([
    { type: 'LessonLearned', data: { model: 'large', content: 'Do: Narrow filter. [1]' } },
  ]);
});

it('[C10] a process that ends in the middle of a call has paid for it, and the rules write the lesson', async () => {
  const { model, attempts, newManager, recorded, eventsOf } = setUp('killed');
  const [first] = [recorded(), recorded()];
  const batch = [first];
  const stopped = new AbortController();
  model.answers = 'silence';
  const interrupted = newManager().handle(batch, { signal: stopped.signal });
  await expect.poll(() => model.requests.length).toBe(1);
  stopped.abort();
  await expect(interrupted).rejects.toThrow();
  model.answers = lesson;
  await newManager().handle(batch, { signal: never });
  expect(model.requests).toHaveLength(1);
  expect(await eventsOf(attempts[0]!.id)).toMatchObject([
    { type: 'LessonLearned', data: { model: 'rules-2', fallback: 'interrupted' } },
  ]);
});

it('[F6] an erasure is handled before the attempts that came with it, and without the model', async () => {
  const { model, attempts, newManager, recorded, erased, eventsOf, follow } = setUp('erasure');
  const [first] = [recorded(), recorded(), recorded()];
  const lessonId = attempts[0]!.id;
  await newManager().handle([first], { signal: never });
  await follow(lessonId);
  const later = recorded();
  const gone = erased(attempts[1]!.id);
  await newManager().handle([later, gone], { signal: never });
  expect(model.requests).toHaveLength(2);
  const kept = attempts.map(({ id }) => id);
  expect(await eventsOf(lessonId)).toMatchObject([
    { type: 'LessonLearned', data: { model: 'large' } },
    { type: 'LessonRevised', data: { model: 'rules-2', traceIds: kept.slice(0, 2) } },
    { type: 'LessonRevised', data: { model: 'large', traceIds: kept } },
  ]);
});

it('[C10] a process that works again after another one includes the lessons of the other', async () => {
  const { included, newManager, recorded } = setUp('regained');
  const [first, second, third] = [recorded(), recorded(), recorded()];
  const [own, other] = [newManager(), newManager()];
  const term = () => ({ signal: new AbortController().signal });
  await own.handle([first], term());
  await other.handle([second], term());
  const head = await test.log.head();
  await own.handle([third], term());
  expect(included.at(-1)).toBe(head);
});
