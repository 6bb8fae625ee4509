import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/** Test processes that run from the sources bundle their worker threads into a folder each: clear them away. */
export async function teardown(): Promise<void> {
  const cache = path.resolve('.cache');
  const entries = await readdir(cache).catch(() => []);
  await Promise.all(
    entries
      .filter((name) => name.startsWith('test-'))
      .map((name) => rm(path.join(cache, name), { recursive: true })),
  );
}

export async function setup(): Promise<void> {}
