import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { changeMemory } from '../../src/commands/change-memory.ts';
import { commandServices, type CommandContext } from '../../src/commands/context.ts';
import { configureSpace } from '../../src/commands/spaces/configure-space.ts';
import { storeMemory, storeMemoryInput } from '../../src/commands/store-memory.ts';
import { spaceConfigSchema } from '../../src/domain/spaces/space-config.ts';
import { systemClock } from '../../src/ports/clock.ts';
import { duplicateReactor, type DuplicateParts } from '../../src/reactors/duplicate-reactor.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

/** Stores two memories that say the same, and runs the reactor for the second one. `whileCompared` happens before clusters are looked up. */
async function clustersAfter(whileCompared: (remove: (which: 0 | 1) => Promise<void>) => Promise<void>) {
  const tenant = `t${newId().replaceAll('-', '')}`;
  const nobody = { orgs: [], teams: [], projects: [], sessions: [], agents: [] };
  const caller = { tenant, principal: 'system', roles: ['admin' as const], ...nobody };
  const context: CommandContext = { caller, cause: 'system', correlationId: 'duplicates' };
  const services = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
  await configureSpace(services, context, 'notes', spaceConfigSchema.parse({ dedupStrategy: 'semantic' }));
  const ids: string[] = [];
  for (const content of ['The pump is bled on Friday.', 'On Friday the pump is bled.']) {
    const input = storeMemoryInput.parse({ content, layer: 'company', spaces: ['notes'] });
    ids.push((await storeMemory(services, context, input)).snapshot.state.value.id);
  }
  const remove = async (which: 0 | 1) => {
    const retentionUntil = new Date(Date.now() + 86_400_000);
    await changeMemory(services, context, ids[which]!, { type: 'delete', retentionUntil });
  };
  const finder: DuplicateParts['finder'] = {
    find: async () => [{ id: ids[0]!, createdAt: '2020-01-01T00:00:00.000Z', similarity: 0.98 }],
    async clustersOf() {
      await whileCompared(remove);
      return [];
    },
  };
  const filter = { types: ['MemoryStored'] };
  const { events } = await test.store.readAll({ limit: 1, filter, direction: 'backwards' });
  const { signal } = new AbortController();
  await duplicateReactor({ services, finder, waitMs: 1_000 }, context).handle(events, { signal });
  const found = await test.store.readAll({ limit: 1_000, filter: { types: ['DuplicateFound'] } });
  return found.events.filter(({ metadata }) => metadata.tenant === tenant).length;
}

it('[H6] begins a cluster for two memories that say the same', async () => {
  expect(await clustersAfter(async () => {})).toBe(1);
});

it.each([0, 1] as const)(
  '[H6] begins none if memory %i is deleted meanwhile, when their cluster is hidden',
  async (which) => {
    let isFirst = true;
    const removeOnce = async (remove: (one: 0 | 1) => Promise<void>) => {
      if (isFirst) await remove(which);
      isFirst = false;
    };
    expect(await clustersAfter(removeOnce)).toBe(0);
  },
);
