import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Search, Stratalog, StoredMemory } from '../../../packages/client/src/index.ts';
import { packageRoot } from '../../support/package-root.ts';
import type { CorpusMemory } from './corpus-questions.ts';

/** A question to the corpus, as `corpus/queries.json` holds it. */
export interface DemoQuery {
  readonly query: string;
  readonly why: string;
  /** What its answers show, for a reader of the demo. The answers of questions without it are counted, not printed. */
  readonly shown?: string;
  readonly layers?: Search['layers'];
  readonly scope?: Search['scope'];
  readonly tags?: string[];
  readonly filter?: Search['filter'];
  /** External ids of right answers. */
  readonly expect: string[];
}

export interface DemoStory {
  readonly queries: DemoQuery[];
  /** A question that the corpus does not answer. */
  readonly unanswered: { readonly query: string };
  /** A question whose answer is spread over several memories. */
  readonly context: { readonly query: string };
  readonly story: {
    readonly change: {
      readonly externalId: string;
      readonly query: string;
      readonly before: string;
      readonly after: string;
      readonly content: string;
      readonly reason: string;
    };
    readonly delete: { readonly externalId: string; readonly query: string; readonly reason: string };
  };
}

const folder = path.join(packageRoot, 'corpus');

/** NDJSON of `POST /v1/memories` bodies. */
export async function readCorpus(): Promise<{ text: string; count: number }> {
  const text = await readFile(path.join(folder, 'memories.ndjson'), 'utf8');
  return { text, count: text.split('\n').filter((line) => line !== '').length };
}

/** Reads the memories of the corpus. */
export async function readCorpusMemories(): Promise<CorpusMemory[]> {
  const { text } = await readCorpus();
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CorpusMemory);
}

export async function readStory(): Promise<DemoStory> {
  return JSON.parse(await readFile(path.join(folder, 'queries.json'), 'utf8')) as DemoStory;
}

/** Throws if the store does not have this memory of the corpus. */
export async function findByExternalId(client: Stratalog, externalId: string): Promise<StoredMemory> {
  const { items } = await client.memories.list({ externalId });
  if (!items[0]) throw new Error(`the corpus has no memory ${externalId}`);
  return items[0];
}

/** Layer and name of the place of a memory, such as `team sig-node`. */
export function placeOf({ layer, scope }: Pick<StoredMemory, 'layer' | 'scope'>): string {
  return layer === 'company' ? layer : `${layer} ${scope[layer] ?? ''}`;
}

/** The title of the document that a memory of the corpus is a piece of. */
export function titleOf({ metadata }: Pick<StoredMemory, 'metadata'>): string {
  return (metadata as Partial<CorpusMemory['metadata']>).title ?? '';
}
