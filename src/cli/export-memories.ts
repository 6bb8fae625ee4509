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
  'trust',
];

/**
 * Also removes the company, which is the tenant: another tenant would refuse it. A memory without a time of its own gets the time at which
 * it was stored, so that "last week", and what is newer than what, are the same after an import.
 */
function withoutDerived({ scope, ...memory }: StoredMemory): Record<string, unknown> {
  const { company: _, ...placed } = scope;
  const given = Object.entries(memory).filter(([field]) => !derived.includes(field));
  return { ...Object.fromEntries(given), occurredAt: memory.occurredAt ?? memory.createdAt, scope: placed };
}

/**
 * Makes the lines from which an import creates the same memories again. If several memories say the same, each is kept. A memory that was
 * affirmed gets a second line, which affirms it.
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
