import type { AuditEvent } from '@stratalog/client';

/** Types of events that change which memories are known, or what they say. */
export const changingTypes = [
  'MemoryStored',
  'MemoryUpdated',
  'MemoryDeleted',
  'MemoryRestored',
  'MemoryArchived',
  'MemoryUnarchived',
  'MemoryReviewed',
  'MemoryErased',
] as const;

/** What happened to one memory between two times. */
export interface MemoryChange {
  readonly id: string;
  readonly kind: 'added' | 'changed' | 'removed' | 'brief';
  /** The spaces that its latest event with spaces names. */
  readonly spaces: readonly string[];
  /** The text after its last change, if an event has it. */
  readonly text: string | undefined;
  readonly lastAt: string;
  readonly actors: readonly string[];
  readonly events: readonly AuditEvent[];
}

const removing: ReadonlySet<string> = new Set(['MemoryDeleted', 'MemoryErased']);

/** What the events, oldest first, did to each memory, in the order of their last changes, newest first. */
export function changesOf(events: readonly AuditEvent[]): readonly MemoryChange[] {
  const byMemory = new Map<string, AuditEvent[]>();
  for (const event of events) {
    const id = event.data['memoryId'];
    if (typeof id !== 'string') continue;
    const own = byMemory.get(id);
    if (own) own.push(event);
    else byMemory.set(id, [event]);
  }
  return [...byMemory]
    .map(([id, own]) => changeOf(id, own))
    .toSorted((one, other) => other.lastAt.localeCompare(one.lastAt));
}

function changeOf(id: string, events: readonly AuditEvent[]): MemoryChange {
  const isNew = events.some(({ type }) => type === 'MemoryStored');
  const last = events.at(-1)!;
  const isGone = removing.has(last.type);
  const named = events.findLast(({ data }) => Array.isArray(data['spaces']));
  const told = events.findLast(({ data }) => typeof data['content'] === 'string');
  return {
    id,
    kind: isNew ? (isGone ? 'brief' : 'added') : isGone ? 'removed' : 'changed',
    spaces: (named?.data['spaces'] as readonly string[] | undefined) ?? [],
    text: told?.data['content'] as string | undefined,
    lastAt: last.at,
    actors: [...new Set(events.map(({ actor }) => actor))],
    events,
  };
}

/** Changes under a heading. */
interface Group {
  readonly name: string;
  readonly changes: readonly MemoryChange[];
}

/** Changes by the day of the last one, in the reader's zone, or by space; one of several spaces is in each. */
export function grouped(changes: readonly MemoryChange[], by: 'day' | 'space'): readonly Group[] {
  const groups = new Map<string, MemoryChange[]>();
  for (const change of changes) {
    const names =
      by === 'day' ? [dayOf(change.lastAt)] : change.spaces.length > 0 ? change.spaces : ['no space'];
    for (const name of names) groups.set(name, [...(groups.get(name) ?? []), change]);
  }
  return [...groups].map(([name, own]) => ({ name, changes: own }));
}

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const dayOf = (at: string): string => day.format(new Date(at));

/** How many events of each type there are, most first. */
export function countsOf(events: readonly AuditEvent[]): readonly (readonly [type: string, count: number])[] {
  const counts = new Map<string, number>();
  for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
  return [...counts].toSorted(([, one], [, other]) => other - one);
}
