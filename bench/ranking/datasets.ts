// Reads retrieval data sets: folders with memories.jsonl(.gz) and queries.jsonl.
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { isInScope } from '../../test/support/in-scope.ts';
import type { Layer } from '../../src/domain/layers.ts';

export type Scope = Readonly<Record<string, string>>;

export interface Memory {
  readonly id: string;
  readonly text: string;
  /** Company if it is missing. */
  readonly layer?: Layer;
  /** With the tenant, if there are several. */
  readonly scope: Scope;
  /** A date, perhaps with a time. */
  readonly timestamp?: string;
  readonly metadata?: { readonly doc?: string; readonly speaker?: string; readonly role?: string };
}

export interface Query {
  readonly id: string;
  readonly query: string;
  readonly type: string;
  readonly category?: string | number;
  /** Ids of the memories that answer it. */
  readonly gold: readonly string[];
  /** If memories are chunks of documents: the documents that answer it. Any of their chunks counts. */
  readonly gold_docs?: readonly string[];
  readonly scope: Scope;
  /** The time of asking, for words such as "last week". */
  readonly now?: string;
  /** In `everyday`. */
  readonly kind?: string;
}

export interface DataSet {
  readonly name: string;
  readonly memories: readonly Memory[];
  readonly queries: readonly Query[];
}

/** The data sets in `folder`, sorted by name, or `folder` itself if it is one. Rejects if there is none. */
export async function readDataSets(folder: string): Promise<DataSet[]> {
  const whole = path.resolve(folder);
  if (await isDataSet(whole)) return [await readDataSet(path.dirname(whole), path.basename(whole))];
  const sets: DataSet[] = [];
  for (const name of (await readdir(whole)).sort())
    if (await isDataSet(path.join(whole, name))) sets.push(await readDataSet(whole, name));
  if (sets.length === 0) throw new Error(`${folder} holds no folder with queries.jsonl and memories.jsonl`);
  return sets;
}

async function isDataSet(folder: string): Promise<boolean> {
  const files = await readdir(folder).catch((): string[] => []);
  return files.includes('queries.jsonl') && files.some((file) => /^memories\.jsonl(\.gz)?$/.test(file));
}

/** Reads `folder/name`. Rejects if a file is missing or a line is not JSON. */
export async function readDataSet(folder: string, name: string): Promise<DataSet> {
  const [memories, queries] = await Promise.all([
    readLines<Memory>(path.join(folder, name, 'memories.jsonl')),
    readLines<Query>(path.join(folder, name, 'queries.jsonl')),
  ]);
  return { name, memories: memories.map(inTenant), queries };
}

async function readLines<T>(file: string): Promise<T[]> {
  const packed = await readFile(`${file}.gz`).catch(() => undefined);
  const text = packed === undefined ? await readFile(file, 'utf8') : gunzipSync(packed).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => JSON.parse(line) as T);
}

/** Some sets name the tenant beside the scope. */
function inTenant({ tenant, ...memory }: Memory & { readonly tenant?: string }): Memory {
  return tenant === undefined ? memory : { ...memory, scope: { ...memory.scope, tenant } };
}

/** Whether the memory is in the query's scope, as the server decides it. The tenant is not compared. */
export function inScope({ layer = 'company', scope: { tenant: _, ...own } }: Memory, query: Scope): boolean {
  const { tenant: __, ...asked } = query;
  return isInScope(asked, { layer, scope: own });
}
