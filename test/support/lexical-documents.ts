import { createHash, randomUUID } from 'node:crypto';
import type { Region } from '../../src/domain/access/region.ts';
import { isInScope } from './in-scope.ts';
import { isVisible, type Placement } from '../../src/domain/access/visibility.ts';
import { queryTerms } from '../../src/domain/text/tokens.ts';
import type {
  ActiveDocument,
  DeletedDocument,
  IndexedEntry,
  LexicalDocument,
  LexicalIndex,
} from '../../src/ports/lexical-index.ts';

/** The index on which a contract runs: empty, with new names. */
export interface IndexUnderTest {
  readonly index: LexicalIndex;
  /** Opens another handle of the same index. */
  again(): LexicalIndex;
  close(): Promise<void>;
}

/** Shared by the parts of the contract. `index` is set when the tests run. */
export interface ContractIndex {
  readonly index: LexicalIndex;
  again(): LexicalIndex;
}

let counter = 0;

/** Creates a new, empty generation. */
export async function freshGeneration(index: LexicalIndex): Promise<string> {
  const generation = `g${++counter}`;
  await index.createGeneration(generation);
  return generation;
}

export function document(body: string, more: Partial<ActiveDocument> = {}): ActiveDocument {
  const identity = { tenant: 'acme', memoryId: randomUUID(), revision: 0 };
  return { ...identity, deleted: false, layer: 'company', scope: {}, body, ...more };
}

export function deletion({ tenant, memoryId }: LexicalDocument, revision: number): DeletedDocument {
  return { tenant, memoryId, revision, deleted: true };
}

export function wholeTenant(tenant = 'acme'): Region {
  return { tenant, visibility: 'all' };
}

/** Writes documents and waits until they can be found. */
export async function put(
  index: LexicalIndex,
  generation: string,
  ...documents: LexicalDocument[]
): Promise<void> {
  await index.write(generation, documents);
  await index.refresh(generation);
}

/** Searches all documents of tenant acme. */
export function find(index: LexicalIndex, generation: string, text: string, limit = 100): Promise<string[]> {
  return index.search({ region: wholeTenant(), text, limit }, generation);
}

/** The same as the program asks: the read model gives the index the terms of its texts. */
export function findTerms(
  index: LexicalIndex,
  generation: string,
  text: string,
  limit?: number,
): Promise<string[]> {
  return find(index, generation, queryTerms(text).join(' '), limit);
}

export async function listed(
  index: LexicalIndex,
  generation: string,
  pageSize?: number,
): Promise<IndexedEntry[]> {
  const entries: IndexedEntry[] = [];
  for await (const page of index.list(generation, pageSize)) entries.push(...page);
  return entries;
}

/** The entry that `list` must return for a document. */
export function entryOf(one: LexicalDocument): IndexedEntry {
  const { tenant, memoryId, revision, deleted } = one;
  const textHash = one.deleted ? undefined : createHash('sha256').update(one.body).digest('base64url');
  return { tenant, memoryId, revision, deleted, ...(textHash !== undefined && { textHash }) };
}

/** The entry of the highest revision of each memory, in the order of `list`. */
export function latestEntries(documents: readonly LexicalDocument[]): IndexedEntry[] {
  const latest = new Map<string, LexicalDocument>();
  for (const one of documents) {
    const key = `${one.tenant} ${one.memoryId}`;
    if ((latest.get(key)?.revision ?? -1) <= one.revision) latest.set(key, one);
  }
  return [...latest].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => entryOf(one));
}

/** Whether a memory is in a region, implemented directly from the definition. */
export function isInRegion({ tenant, visibility, layers, scope = {} }: Region, memory: InTenant): boolean {
  return (
    memory.tenant === tenant &&
    isVisible(visibility, memory) &&
    (layers === undefined || layers.includes(memory.layer)) &&
    isInScope(scope, memory)
  );
}

interface InTenant extends Placement {
  readonly tenant: string;
}
