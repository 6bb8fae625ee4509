import type { StoredMemory } from '../../packages/client/src/index.ts';
import { detailedToldKey, isAffirmable, type Telling } from '../domain/memory/affirmation.ts';
import { textHash } from '../support/text-hash.ts';

/** Fields that the server sets and a store request must not have. */
const derived = [
  'id',
  'createdAt',
  'updatedAt',
  'createdBy',
  'revision',
  'state',
  'importance',
  'feedback',
  'accessCount',
  'lastAccessedAt',
  'affirmations',
  'affirmedAt',
  'retentionUntil',
];

/**
 * Also removes the company, which is the tenant: another tenant would refuse it. A memory that names no time is as old as its store: after
 * an import, "last week" and what is newer still go by that.
 */
function withoutDerived({ scope, ...memory }: StoredMemory): Record<string, unknown> {
  const { company: _, ...placed } = scope;
  const given = Object.entries(memory).filter(([field]) => !derived.includes(field));
  return { ...Object.fromEntries(given), occurredAt: memory.occurredAt ?? memory.createdAt, scope: placed };
}

/**
 * The lines from which an import makes the memories of an export again: of memories that say the same each one is kept, and one that
 * was told again is told again.
 */
export class TellingLines {
  readonly #told = new Set<string>();

  of(memory: StoredMemory): readonly Record<string, unknown>[] {
    const line = withoutDerived(memory);
    // `import` takes the id away again: other lines of the file name the memory by it.
    const named = { id: memory.id, ...line };
    if (memory.externalId !== undefined || !isAffirmable(memory)) return [named];
    const telling = textHash(detailedToldKey(memory as Telling));
    const isCopy = this.#told.has(telling);
    this.#told.add(telling);
    return [
      isCopy ? { ...named, duplicates: 'keep' } : named,
      ...(memory.affirmedAt === undefined ? [] : [{ ...line, occurredAt: memory.affirmedAt }]),
    ];
  }
}
