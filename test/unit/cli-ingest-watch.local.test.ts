import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { ProblemError, UnreachableError } from '../../packages/client/src/index.ts';
import { runAtChanges } from '../../src/cli/ingest/watch.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stratalog-watch-'));
});
afterEach(() => rm(folder, { recursive: true }));

const soon = { settleMs: 10, retryMs: 20 };
const gone = () => Object.assign(new Error('no such file'), { code: 'ENOENT' });

it('a run that the server or a vanished file cuts short is repeated, without another change', async () => {
  const failures = [new UnreachableError('no server'), new ProblemError(503, {}), gone()];
  const [reported, end] = [[] as unknown[], new Error('the end')];
  const run = async () => {
    throw failures.shift() ?? end;
  };
  const watching = runAtChanges([folder], run, { ...soon, onFailure: (error) => reported.push(error) });
  const first = [...failures];
  await writeFile(path.join(folder, 'note.md'), 'Once.');
  await expect(watching).rejects.toBe(end);
  expect(reported).toEqual(first);
});

it('a run that the server refuses ends it', async () => {
  const refused = new ProblemError(403, {});
  const watching = runAtChanges([folder], () => Promise.reject(refused), {
    ...soon,
    onFailure: () => undefined,
  });
  await writeFile(path.join(folder, 'note.md'), 'Once.');
  await expect(watching).rejects.toBe(refused);
});
