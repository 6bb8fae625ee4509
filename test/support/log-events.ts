import { randomUUID } from 'node:crypto';
import type { EventLog, StoredEvent, StreamName } from '../../src/ports/event-log.ts';

/** The log on which a contract runs. */
export interface LogUnderTest {
  readonly log: EventLog;
  close(): Promise<void>;
}

/** Shared by the parts of the contract. `log` is set when the tests run. */
export interface ContractLog {
  readonly log: EventLog;
}

let counter = 0;

/** A new category, so a test can find its own events in the whole log. */
export function freshCategory(): string {
  return `c${process.pid}x${++counter}`;
}

export function freshStream(category = freshCategory(), tenant = 'acme'): StreamName {
  return `${category}-${tenant}.${randomUUID()}`;
}

export function storedEvent(more: Partial<StoredEvent> = {}): StoredEvent {
  return { id: randomUUID(), type: 'Counted', schemaVersion: 1, data: '{"n":1}', metadata: '{}', ...more };
}

/** Events whose data is `{"n":0}`, `{"n":1}`, … */
export function storedEvents(count: number, more: Partial<StoredEvent> = {}): StoredEvent[] {
  return Array.from({ length: count }, (_, n) => storedEvent({ data: `{"n":${n}}`, ...more }));
}

export function ids(events: readonly { id: string }[]): string[] {
  return events.map(({ id }) => id);
}

export function revisions(events: readonly { revision: number }[]): number[] {
  return events.map(({ revision }) => revision);
}
