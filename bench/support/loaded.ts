import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { copyData, keptData, withScratch } from './folders.ts';
import type { HttpClient } from './http.ts';
import type { MemorySource } from './memories.ts';
import { Program } from './program.ts';

export const tenant = 'bench';
const sliceSize = 1_000;
/** Pause for vacuuming after loading. The database vacuums large tables one by one after 15 s without a request. */
const longRestMs = 60_000;
const shortRestMs = 10_000;
const manyMemories = 10_000;

/** How a data folder was loaded. */
export interface Loading {
  readonly memories: number;
  /** Memories per second, including the time until every read model has caught up. */
  readonly rate: number;
}

/**
 * Calls `use` with a copy of a data folder with the first `count` memories of `source` in the tenant `bench`. They were loaded
 * through the bulk call until the read models had caught up; after a pause the server was stopped cleanly. The original is
 * loaded once and kept.
 */
export async function withLoaded<T>(
  source: MemorySource,
  count: number,
  use: (dataDir: string, loading: Loading) => Promise<T>,
): Promise<T> {
  const kept = path.join(keptData, `${source.name}-${count}`);
  const loading = (await readLoading(kept)) ?? (await load(source, count, kept));
  return withScratch(async (folder) => {
    await copyData(path.join(kept, 'data'), path.join(folder, 'data'));
    return use(path.join(folder, 'data'), loading);
  });
}

/** Deletes all kept data folders. */
export async function dropLoaded(): Promise<void> {
  await rm(keptData, { recursive: true, force: true });
}

/** Data of a key that can read and change everything in the tenant. */
const adminKey = { tenant, role: 'admin', user: 'bench' };

/** An HTTP client with an admin key. */
export function adminOf(program: Program): Promise<HttpClient> {
  return program.client(adminKey);
}

/** The secret of an admin key. */
export function adminKeyOf(program: Program): Promise<string> {
  return program.newKey(adminKey);
}

async function readLoading(kept: string): Promise<Loading | undefined> {
  const text = await readFile(path.join(kept, 'loading.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Loading);
}

async function load(source: MemorySource, count: number, kept: string): Promise<Loading> {
  return withScratch(async (folder) => {
    const program = await Program.start({ dataDir: path.join(folder, 'data'), embedder: source.embedder });
    const client = await adminOf(program);
    const start = performance.now();
    await storeMemories(client, source, 0, count);
    await program.caughtUp();
    const seconds = (performance.now() - start) / 1_000;
    process.stderr.write(`\rloaded ${count} memories in ${seconds.toFixed(0)} s            \n`);
    await sleep(count >= manyMemories ? longRestMs : shortRestMs);
    client.close();
    await program.stop();
    const loading = { memories: count, rate: count / seconds };
    await writeFile(path.join(folder, 'loading.json'), JSON.stringify(loading));
    await mkdir(kept, { recursive: true });
    await rm(kept, { recursive: true });
    await rename(folder, kept);
    return loading;
  });
}

/** Stores memories `from` to `to` of a source through the bulk call. */
export async function storeMemories(
  client: HttpClient,
  source: MemorySource,
  from: number,
  to: number,
): Promise<void> {
  for (let at = from; at < to; at += sliceSize) {
    const size = Math.min(sliceSize, to - at);
    const lines = await client.bulk(Array.from({ length: size }, (_, index) => source.memory(at + index)));
    const stored = lines.filter(({ status }) => status === 201).length;
    if (stored !== size) throw new Error(`bulk stored ${stored} of ${size} memories`);
    process.stderr.write(`\rloading ${at + size} of ${to} memories`);
  }
}
