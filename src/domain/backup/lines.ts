import type { Logged } from '../tlog/leaf.ts';

/** An event as a line of a backup, without its line break. */
export function eventLine({ time, ...event }: Logged): string {
  const { position, stream, revision, id, type, schemaVersion, data, metadata } = event;
  return JSON.stringify({ position, stream, revision, id, type, schemaVersion, time, data, metadata });
}

/** Whether a line may hold an event of one of these types. Never false for one that does. */
export function mayHaveType(line: string, types: readonly string[]): boolean {
  return types.some((type) => line.includes(`"type":"${type}"`));
}

/** The event in a line. Throws if it has none. */
export function parseEventLine(line: string): Logged {
  const { time, ...event } = JSON.parse(line) as Omit<Logged, 'time'> & { readonly time: string };
  const at = new Date(time);
  if (!Number.isInteger(event.position) || Number.isNaN(at.getTime())) throw new SyntaxError('not an event');
  return { ...event, time: at };
}
