import type { TenantContext } from '../domain/access/context.ts';
import { conflictSteps, type Conflict, type StoredComparable } from '../domain/consistency/conflicts.ts';
import { visibilityKeys } from '../domain/access/visibility.ts';
import type { Layer } from '../domain/layers.ts';
import type { MemoryView } from '../domain/memory/view.ts';
import { Problem } from '../domain/problems.ts';
import { truncate } from '../domain/text/truncate.ts';
import { LexicalIndexUnavailable } from '../ports/lexical-index.ts';
import { runInSlices } from '../support/time-slice.ts';
import { memoryOf } from './memory-row.ts';
import type { ReadModels } from './read-models.ts';
import type { Finding } from './search/finding.ts';
import type { SearchService } from './search/search.ts';
import { readSuperseding } from './supersessions.ts';
import { readVisibleMemories } from './validate.ts';

/** A memory that was stored, as it is compared with others. */
export interface StoredMemory extends StoredComparable {
  readonly layer: Layer;
}

export interface FoundConflicts {
  readonly conflicts: readonly Conflict[];
  /** False if the read models were behind, or only words or only meaning could be compared. */
  readonly isComplete: boolean;
}

/** Number of UTF-16 units of a query: a long memory is looked for by several parts of this length. */
const queryLength = 1_500;
const maxQueries = 4;
/** Maximum number of memories compared for each part: the nearest by words and meaning. */
const maxCandidates = 30;

/** Finds the memories of the same layer and scope that a stored memory contradicts, supersedes or duplicates. */
export class ConflictFinder {
  readonly #models: ReadModels;
  readonly #search: SearchService;

  constructor(models: ReadModels, search: SearchService) {
    this.#models = models;
    this.#search = search;
  }

  /**
   * Looks among the memories that the caller sees, once the read models have reached `upTo` or the wait is over. With `byWords` they are
   * found by their words alone, which takes no embedding: memories that say another thing about the same share words.
   */
  async find(
    caller: TenantContext,
    stored: StoredMemory,
    upTo: number,
    { byWords = false }: { readonly byWords?: boolean } = {},
  ): Promise<FoundConflicts> {
    const findings = await this.#findings(caller, stored, upTo, byWords);
    const candidates = new Map<string, StoredMemory>();
    for (const finding of findings.found) {
      const superseding = await readSuperseding(this.#models, caller, finding);
      for (const { memory } of finding.best) {
        const newest = superseding.get(memory.id);
        const isCurrent = newest === undefined || newest === stored.id;
        // Of two that are stored at once, the later one reports the other.
        const isEarlier =
          memory.createdAt < stored.updatedAt ||
          (memory.createdAt === stored.updatedAt && memory.id < stored.id);
        if (memory.id !== stored.id && isCurrent && isEarlier && areOfOnePlace(stored, memory))
          candidates.set(memory.id, memory);
      }
    }
    const conflicts = await runInSlices(conflictSteps(stored, [...candidates.values()]));
    return { conflicts, isComplete: findings.isComplete };
  }

  /** The memories of the same layer and scope that are most like this text, best first. */
  async alike(
    caller: TenantContext,
    { id, content, layer, scope }: Pick<StoredMemory, 'id' | 'content' | 'layer' | 'scope'>,
    limit: number,
  ): Promise<readonly MemoryView[]> {
    const query = partsOf(content)[0];
    if (query === undefined) return [];
    const request = { query, layers: [layer], scope, topK: limit + 1, threshold: 0 };
    const { best } = await this.#search.find(caller, request, { keepsCopies: true });
    return best.flatMap(({ memory }) => (memory.id === id ? [] : [memory])).slice(0, limit);
  }

  /** Compares again with memories that were found before; those that the caller does not see any more are left out. */
  async judge(
    caller: TenantContext,
    stored: StoredMemory,
    ids: readonly string[],
  ): Promise<readonly Conflict[]> {
    if (ids.length === 0) return [];
    const rows = await this.#models.read(
      { projections: ['memories', 'usage', 'feedback', 'values'] },
      (view) => readVisibleMemories(this.#models, view, caller, ids),
    );
    return runInSlices(conflictSteps(stored, rows.map(memoryOf)));
  }

  async #findings(
    caller: TenantContext,
    { content, layer, scope }: StoredMemory,
    upTo: number,
    byWords: boolean,
  ): Promise<{ readonly found: readonly Finding[]; readonly isComplete: boolean }> {
    const found: Finding[] = [];
    let minPosition = upTo;
    let isComplete = true;
    for (const query of partsOf(content)) {
      const request = {
        query,
        ...(byWords && { texts: { dense: undefined, lexical: query } }),
        layers: [layer],
        scope,
        topK: maxCandidates,
        threshold: 0,
      };
      const look = () => this.#search.find(caller, { ...request, minPosition }, { keepsCopies: true });
      try {
        found.push(
          await look().catch((error: unknown) => {
            if (!(error instanceof Problem && error.code === 'position-timeout')) throw error;
            isComplete = false;
            minPosition = 0;
            return look();
          }),
        );
      } catch (error) {
        if (!(error instanceof LexicalIndexUnavailable)) throw error;
        isComplete = false;
      }
    }
    return { found, isComplete: isComplete && found.every(({ warnings }) => warnings.length === 0) };
  }
}

/** The first parts of a text, split at white space. */
export function partsOf(content: string): string[] {
  const parts: string[] = [];
  for (let rest = content; rest.trim() !== '' && parts.length < maxQueries;) {
    const part = truncate(rest, queryLength);
    const end = part.length < rest.length ? Math.max(part.search(/\s\S*$/), queryLength / 2) : part.length;
    parts.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return parts.filter((part) => part.trim() !== '');
}

/** Whether both are of one layer, and its identifiers have the same values. */
export function areOfOnePlace(
  stored: Pick<StoredMemory, 'layer' | 'scope'>,
  other: Pick<StoredMemory, 'layer' | 'scope'>,
): boolean {
  return (
    stored.layer === other.layer &&
    visibilityKeys(stored.layer).every((key) => stored.scope[key] === other.scope[key])
  );
}
