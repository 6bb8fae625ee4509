import type { AuditEvent } from '@stratalog/client';

/** The reads of one caller of one kind. */
export interface Reads {
  readonly who: string;
  readonly what: string;
  readonly count: number;
  readonly last: string;
}

/** Reads by who read and what, in the order of the last ones. `events` are newest first. */
export function groupReads(events: readonly AuditEvent[]): readonly Reads[] {
  const groups = new Map<string, Reads>();
  for (const { actor, onBehalfOf, data, at } of events) {
    const who = onBehalfOf === undefined ? actor : `${actor} for ${onBehalfOf}`;
    const what = String(data['what']);
    const key = JSON.stringify([who, what]);
    const group = groups.get(key);
    groups.set(key, { who, what, count: (group?.count ?? 0) + 1, last: group?.last ?? at });
  }
  return [...groups.values()];
}
