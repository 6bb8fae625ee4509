import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';

/** `cites`: the text of the memory refers to it. `is`: the memory is what others refer to. */
export const referenceRoles = ['cites', 'is'] as const;
export type ReferenceRole = (typeof referenceRoles)[number];

const routing = z.object({ memoryId: z.string(), role: z.enum(referenceRoles) });

/**
 * A memory of a space with `citationTracking` refers to something, or is what others refer to. Each reference has a stream, named by a keyed
 * hash, so that the two meet whichever is stored first.
 */
export const ReferenceRecorded = defineEvent({
  type: 'ReferenceRecorded',
  category: 'links',
  version: 1,
  routing,
  sealed: z.object({}),
});

/** The memory was changed: that is not so any more. */
export const ReferenceDropped = defineEvent({
  type: 'ReferenceDropped',
  category: 'links',
  version: 1,
  routing,
  sealed: z.object({}),
});

export type ReferenceEvent = EventOf<typeof ReferenceRecorded> | EventOf<typeof ReferenceDropped>;

/** Ids of the memories that cite something, and of those that are it. */
export type References = Readonly<Record<ReferenceRole, ReadonlySet<string>>>;

export function foldReferences(events: readonly ReferenceEvent[]): References {
  const references = { cites: new Set<string>(), is: new Set<string>() };
  for (const { type, data } of events) {
    if (type === 'ReferenceRecorded') references[data.role].add(data.memoryId);
    else references[data.role].delete(data.memoryId);
  }
  return references;
}

/** The event after which the memory has the role, or has not; none if that is so already. */
export function decideReference(
  references: References,
  data: { readonly memoryId: string; readonly role: ReferenceRole },
  holds: boolean,
): ReferenceEvent[] {
  if (references[data.role].has(data.memoryId) === holds) return [];
  return [{ type: holds ? 'ReferenceRecorded' : 'ReferenceDropped', data }];
}
