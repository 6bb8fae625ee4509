import type { AuditEvent } from '@stratalog/client';

/** An event in a chain of causes, with how deep it is in it. */
export interface Link {
  readonly event: AuditEvent;
  readonly depth: number;
}

/**
 * The events that are connected with one, as a tree in the order of the log: those of the same command, their causes, and their effects.
 */
export function chainOf(event: AuditEvent, others: readonly AuditEvent[]): readonly Link[] {
  const all = new Map([event, ...others].map((one) => [one.id, one]));
  const connected = new Set([event.id]);
  for (let size = 0; size !== connected.size;) {
    size = connected.size;
    const correlations = new Set([...connected].map((id) => all.get(id)!.correlationId));
    for (const { id, causationId, correlationId } of all.values())
      // A background job uses one correlation for all its work, so it connects nothing.
      if (
        (correlations.has(correlationId) && isOfCommand(correlationId)) ||
        (causationId !== undefined && connected.has(causationId))
      )
        connected.add(id);
    for (const id of connected) {
      const { causationId } = all.get(id)!;
      if (causationId !== undefined && all.has(causationId)) connected.add(causationId);
    }
  }
  const chain = [...all.values()]
    .filter(({ id }) => connected.has(id))
    .toSorted((one, other) => one.at.localeCompare(other.at) || one.id.localeCompare(other.id));
  const children = (of: string | undefined, depth: number): readonly Link[] =>
    chain
      .filter(
        ({ id, causationId }) =>
          (connected.has(causationId ?? '') ? causationId : undefined) === of && id !== of,
      )
      .flatMap((one) => [{ event: one, depth }, ...children(one.id, depth + 1)]);
  const tree = children(undefined, 0);
  // Events that name each other as causes have no beginning.
  return tree.some(({ event: { id } }) => id === event.id) ? tree : [{ event, depth: 0 }, ...tree];
}

const isOfCommand = (correlationId: string): boolean => /^[0-9a-f-]{36}$/.test(correlationId);
