import { createHash } from 'node:crypto';
import { v7 as newId } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { Surfaces } from '../../src/queries/surfaces.ts';
import { Admission } from '../../src/api/admission/admission.ts';
import type { Ceilings } from '../../src/domain/admission/ceilings.ts';
import { BulkPace } from '../../src/api/admission/bulk-pace.ts';
import { LimitsDirectory } from '../../src/api/admission/limits-directory.ts';
import { auditEvents } from '../../src/api/audit/audit-events.ts';
import { listProjections } from '../../src/api/admin/list-projections.ts';
import { bulkStore } from '../../src/api/memories/bulk-store.ts';
import { deleteMemory } from '../../src/api/memories/delete-memory.ts';
import { getMemory } from '../../src/api/memories/get-memory.ts';
import { storeMemory } from '../../src/api/memories/store-memory.ts';
import { updateMemory } from '../../src/api/memories/update-memory.ts';
import type { ItemStream, Operation } from '../../src/api/operation.ts';
import { perform, type Request } from '../../src/api/perform.ts';
import { recordTrace } from '../../src/api/reasoning/record-trace.ts';
import { search } from '../../src/api/search/search.ts';
import type { Services } from '../../src/api/services.ts';
import { commandServices, type CommandServices } from '../../src/commands/context.ts';
import { FactQueue } from '../../src/commands/record-facts.ts';
import type { Role } from '../../src/domain/access/context.ts';
import { Problem } from '../../src/domain/problems.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { WakeUp } from '../../src/support/wake-up.ts';
import { allProjections } from '../../src/projections/all.ts';
import { Generation } from '../../src/projections/generation.ts';
import { ensureLive } from '../../src/projections/generations.ts';
import { ReadModels } from '../../src/queries/read-models.ts';
import type { Executor } from '../../src/queries/routing/executor.ts';
import { RoutedSearch } from '../../src/queries/routing/routed-search.ts';
import { RoutingDirectory } from '../../src/queries/routing/routing-directory.ts';
import { SearchService } from '../../src/queries/search/search.ts';
import { OwnWrites } from '../../src/api/own-writes.ts';
import { PositionTokens } from '../../src/api/position-tokens.ts';
import { adminOf } from '../support/admin.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';
import { eventsOf, follow } from '../support/read-models.ts';
import { soleEmbedder } from '../support/sole-embedder.ts';
import { rulesOnly } from '../support/rules-only.ts';

const embedders = soleEmbedder(deterministicEmbedder({ dimension: 64 }));
const projections = allProjections(embedders);

let test: TestStore;
let services: Services;

beforeAll(async () => {
  test = await openTestStore();
  const { store, vault, sql } = test;
  const commands: CommandServices = commandServices({ store, vault, clock: systemClock, newId });
  const models = new ReadModels(sql, new WakeUp());
  const routing = new RoutingDirectory(store, { routing: true, reasoning: true });
  services = {
    surfaces: new Surfaces(),
    admission: new Admission(
      new LimitsDirectory(store),
      {
        places: 2,
        heavyPlaces: 1,
        maxWaiting: 10,
        maxWaitMs: 30_000,
      },
      {} as Ceilings,
    ),
    bulkPace: new BulkPace(async () => ({ lag: 0, position: 0 }), 1),
    commands,
    models,
    ownWrites: new OwnWrites(models),
    positions: new PositionTokens(test.store.log.logId, 'secret'),
    routing,
    facts: new FactQueue(commands, { onDropped: () => undefined }),
    search: new RoutedSearch({
      search: new SearchService(models, embedders, systemClock),
      executor: {} as Executor,
      directory: routing,
      policies: rulesOnly,
      posters: { has: async () => false },
      vault,
      clock: systemClock,
      onFailure: () => undefined,
      onReasoningFailure: () => undefined,
      onExecuted: () => undefined,
      onRouted: () => undefined,
    }),
  } as Partial<Services> as Services;
  for (const projection of projections) await ensureLive(sql, projection);
});

afterAll(() => test.close());

async function catchUp(): Promise<void> {
  for (const projection of projections)
    await follow(test, new Generation(test.sql, projection, 1), () => 1_000);
}

/** Calls an operation like a transport. */
async function call<Output>(
  operation: Operation<Operation['input'], Output>,
  input: unknown,
  { role = 'member', ...options }: Partial<Request> & { readonly role?: Role } = {},
) {
  const caller = { ...adminOf('acme'), roles: [role] };
  return perform(operation, { caller, input, correlationId: 'session-1', ...options }, services);
}

async function itemsOf<Item>({ batches }: ItemStream<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const batch of batches) items.push(...batch);
  return items;
}

describe('operations called without HTTP', () => {
  it('[J2] store, read and search a memory', async () => {
    const content = 'the east door opens at six';
    const stored = await call(storeMemory, { content });
    const { memory, position } = stored.output;
    expect(memory).toMatchObject({ content, revision: 0, createdBy: 'user:ada' });
    await catchUp();
    const { output } = await call(getMemory, { memoryId: memory.id, minPosition: position });
    expect(output).toEqual(memory);
    const found = await call(search, { query: content, threshold: 0, minPosition: position });
    expect(found.output.results.map(({ memory }) => memory.id)).toEqual([memory.id]);
    await services.facts.flush();
    expect((await eventsOf(test)).map(({ event }) => event.type)).toContain('SearchPerformed');
  });

  it('[J2] validate the input', async () => {
    await expect(call(storeMemory, { content: 'x', colour: 'red' })).rejects.toThrow(
      'colour: is not a known field',
    );
  });

  it('[A11] recognise a repeated command by its idempotency key', async () => {
    const idempotencyKey = 'key-1';
    const first = await call(storeMemory, { content: 'x' }, { idempotencyKey });
    const again = await call(storeMemory, { content: 'x' }, { idempotencyKey });
    expect([first.replayed, again.replayed]).toEqual([false, true]);
    expect(again.output).toEqual(first.output);
    const other = call(storeMemory, { content: 'y' }, { idempotencyKey });
    await expect(other).rejects.toMatchObject({ code: 'idempotency-key-reused' });
  });

  it('[A11] give a command the same id as in the first version', async () => {
    const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
    const metadataOf = async (...[operation, input]: Parameters<typeof call>) => {
      const before = await test.log.head();
      await call(operation, input, { idempotencyKey: 'key-2', role: 'admin' });
      const events = await eventsOf(test, before);
      return events.findLast(({ metadata }) => metadata.commandId !== undefined)!.metadata;
    };
    const stored = await metadataOf(storeMemory, { content: 'x', tags: ['a'] });
    expect(stored.commandId).toBe(sha256('["acme","key:1","ada","POST","/v1/memories","key-2"]'));
    const bodyHash = (commandId: string, body: string) =>
      test.vault.pseudonym('body', 'acme', `${commandId} ${sha256(body)}`);
    expect(stored.bodyHash).toBe(bodyHash(stored.commandId!, '[{"content":"x","tags":["a"]},""]'));
    const { memory } = (await call(storeMemory, { content: 'y' })).output;
    const path = `/v1/memories/${memory.id}`;
    const input = { memoryId: memory.id, expectedRevision: '*' };
    const updated = await metadataOf(updateMemory, { ...input, content: 'z' });
    expect(updated.commandId).toBe(sha256(`["acme","key:1","ada","PATCH","${path}","key-2"]`));
    expect(updated.bodyHash).toBe(bodyHash(updated.commandId!, '[{"content":"z"},""]'));
    const erased = await metadataOf(deleteMemory, { ...input, mode: 'erase' });
    expect(erased.commandId).toBe(sha256(`["acme","key:1","ada","DELETE","${path}","key-2"]`));
    expect(erased.bodyHash).toBe(bodyHash(erased.commandId!, '[null,"erase"]'));
  });

  it('[C8] record an attempt while the read model of attempts is built', async () => {
    const nearest = () =>
      Promise.reject(new Problem('position-timeout', 'the read models are not there yet'));
    services = { ...services, traces: { nearest } as unknown as Services['traces'] };
    const attempt = { query: 'When?', approach: 'guessing', outcome: 'failure', memoriesUsed: [] };
    const { output } = await call(recordTrace, attempt);
    expect(output.trace).toMatchObject({ query: 'When?', outcome: 'failure' });
    expect(output.trace).not.toHaveProperty('similarTo');
  });

  it('[A7] check the expected revision', async () => {
    const { memory } = (await call(storeMemory, { content: 'x' })).output;
    const update = (expectedRevision?: number | '*') =>
      call(updateMemory, { memoryId: memory.id, expectedRevision, content: 'y' });
    await expect(update()).rejects.toMatchObject({ code: 'match-required' });
    await expect(update(3)).rejects.toMatchObject({ code: 'revision-mismatch' });
    expect((await update(0)).output.memory.revision).toBe(1);
    expect((await update('*')).output.memory.revision).toBe(1);
  });

  it('[I1] check the role, and allow the master key only to manage keys', async () => {
    await expect(call(listProjections, {})).rejects.toMatchObject({ code: 'forbidden' });
    const caller = { ...adminOf(''), principal: 'master', roles: [] };
    await expect(call(storeMemory, { content: 'x' }, { caller })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('[H1] record what an auditor reads', async () => {
    const { memory } = (await call(storeMemory, { content: 'x' })).output;
    const before = await test.log.head();
    await call(getMemory, { memoryId: memory.id });
    expect(await eventsOf(test, before)).toEqual([]);
    await call(getMemory, { memoryId: memory.id }, { role: 'auditor', reason: 'spot check' });
    const [read, ...others] = await eventsOf(test, before);
    expect(others).toEqual([]);
    expect(read).toMatchObject({
      event: { type: 'AuditRead', data: { what: 'memory', memoryId: memory.id, items: 1 } },
      reason: 'spot check',
    });
  });

  it('[A12] accept and return streams', async () => {
    async function* lines() {
      yield { line: 1, sent: { content: 'of the first line' } };
      yield { line: 2, sent: {} };
    }
    const results = await itemsOf((await call(bulkStore, { lines: lines() })).output);
    expect(results).toMatchObject([
      { line: 1, status: 201, position: expect.any(String) },
      { line: 2, status: 400, problem: { code: 'validation-failed' } },
    ]);
    await catchUp();
    const { output } = await call(
      auditEvents,
      { type: ['MemoryStored'], format: 'stream' },
      { role: 'auditor' },
    );
    const events = await itemsOf(output as ItemStream<{ type: string }>);
    expect(events.map(({ type }) => type)).toContain('MemoryStored');
  });
});
