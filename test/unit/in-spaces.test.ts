import { expect, it } from 'vitest';
import type { MemoryEvent } from '../../src/domain/memory/events.ts';
import { defaultSpace } from '../../src/domain/spaces/space-config.ts';
import { noSpaces, type Spaces } from '../../src/domain/spaces/spaces.ts';
import type { LoadedEvent } from '../../src/ports/event-store.ts';
import { inSpaces } from '../../src/reactors/in-spaces.ts';

const spaces: Spaces = {
  ...noSpaces,
  configured: new Map([['notes', { id: 'notes', config: defaultSpace, revision: 0, updatedAt: '' }]]),
};

const event = (tenant: string, type: string, labels?: readonly string[]) =>
  ({ event: { type, data: { memoryId: 'm', spaces: labels } }, metadata: { tenant } }) as never;

it('[H1] spaces are read once for each tenant, and not for memories without one', async () => {
  const read: string[] = [];
  const current = async (tenant: string) => (read.push(tenant), spaces);
  const events: LoadedEvent<MemoryEvent>[] = [
    event('plain', 'MemoryStored', []),
    event('a', 'MemoryStored', ['papers']),
    event('b', 'MemoryUpdated'),
    event('a', 'MemoryUpdated', []),
    event('a', 'MemoryRestored'),
  ];
  const due = [];
  for await (const { loaded, labels } of inSpaces({ current }, events))
    due.push([loaded.metadata.tenant, labels]);
  expect(due).toEqual([
    ['a', ['papers']],
    ['b', ['notes']],
    ['a', ['notes']],
  ]);
  expect(read).toEqual(['a', 'b']);
});
