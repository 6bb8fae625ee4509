import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Test processes that run from the sources bundle their worker threads into a folder each, `test-<process id>`: clear
 * away those of processes that have ended. Another run of the tests may be under way.
 */
export async function teardown(): Promise<void> {
  const cache = path.resolve('.cache');
  const entries = await readdir(cache).catch(() => []);
  await Promise.all(
    entries
      .filter((name) => name.startsWith('test-') && !isRunning(Number(name.slice('test-'.length))))
      .map((name) => rm(path.join(cache, name), { recursive: true, force: true })),
  );
}

export async function setup(): Promise<void> {}

function isRunning(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
