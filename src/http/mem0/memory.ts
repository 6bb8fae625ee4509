import { createHash } from 'node:crypto';
import type { MemoryView } from '../../domain/memory/view.ts';
import { isJsonObject, type JsonObject } from '../../domain/json.ts';

/** Metadata key of the date after which mem0's reads no longer show a memory. */
export const expirationKey = 'mem0_expiration_date';

const dayMs = 86_400_000;
/** Days for which mem0 can still show an expired memory, and take its date away. */
const shownDays = 30;

/**
 * When a memory with an expiration date is soft-deleted: mem0 only hides it after its date, so it stays for some time, also one whose date
 * is long past.
 */
export function deletedAfter(date: string, now: Date): string {
  const over = Math.max(Date.parse(date) + dayMs, now.getTime());
  return new Date(over + shownDays * dayMs).toISOString();
}

/** A memory as mem0 shows it. */
export function mem0Memory(memory: MemoryView) {
  const { id, content, scope, metadata, tags, createdAt, updatedAt } = memory;
  const { [expirationKey]: expiration = null, ...own } = metadata;
  // The turns of conversations have a name.
  const { role, name, actor_id: actor = typeof role === 'string' ? name : undefined } = own;
  return {
    id,
    memory: content,
    hash: createHash('md5').update(content).digest('hex'),
    user_id: scope.user ?? null,
    agent_id: scope.agent ?? null,
    run_id: scope.session ?? null,
    app_id: scope.project ?? null,
    metadata: own,
    categories: tags,
    ...(typeof role === 'string' && { role }),
    ...(typeof actor === 'string' && { actor_id: actor }),
    created_at: createdAt,
    updated_at: updatedAt,
    expiration_date: expiration,
  };
}

/** Restricts a filter to memories that have not expired on this day, unless the caller asks for the others too. */
export function unexpired(filter: JsonObject, showExpired: boolean, now: Date): JsonObject {
  if (showExpired) return filter;
  const today = now.toISOString().slice(0, 10);
  return { and: [filter, { not: { [`metadata.${expirationKey}`]: { lt: today } } }] };
}

/** The fields that the caller asked for; `id` is always among them. */
export function withFields<Shown extends { readonly id: string }>(
  shown: Shown,
  fields: readonly string[] | undefined,
): Partial<Shown> {
  if (fields === undefined || fields.length === 0) return shown;
  return Object.fromEntries(
    Object.entries(shown).filter(([name]) => name === 'id' || fields.includes(name)),
  ) as Partial<Shown>;
}

/** Metadata as mem0 stores it beside a message. */
export function metadataOf(
  sent: JsonObject | null | undefined,
  more: Readonly<Record<string, string | null | undefined>>,
): JsonObject {
  const given = Object.entries(more).filter(([, value]) => value !== undefined && value !== null);
  return { ...(Object.fromEntries(given) as JsonObject), ...(isJsonObject(sent ?? {}) ? sent : {}) };
}
