import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ChildReader, type ChildReaderOptions } from '../../src/adapters/documents/child-reader.ts';
import type { FileToRead } from '../../src/ports/document-reader.ts';

/** Answers as the program does, or does what the file says: it stands for files that a library cannot cope with. */
const obedient = `
import { Worker } from 'node:worker_threads';
const limit = Number(process.argv[2]);
const watching = new Worker(WATCHDOG, { eval: true, workerData: limit });
watching.unref();
process.on('disconnect', () => process.exit());
process.on('message', ({ file, cpuMs }) => {
  watching.postMessage(cpuMs);
  const order = Buffer.from(file.bytes).toString();
  if (order === 'hang') for (;;) {}
  if (order === 'heap') { const kept = []; for (;;) kept.push('x'.repeat(100) + kept.length, { a: kept.length }); }
  if (order === 'arrays') { const kept = []; for (;;) kept.push(new Uint8Array(20_000_000).fill(1)); }
  if (order === 'crash') throw new Error('secret of the library');
  const text = order === 'environment' ? Object.keys(process.env).join() : order === 'pid' ? String(process.pid) : order;
  const answer = () => process.send({ kind: 'content', content: { mediaType: 'text/plain', contentType: 'note', replacements: 0, blocks: [{ kind: 'text', text }] } });
  setTimeout(answer, order === 'slow' ? 60_000 : 0);
});
`;

const textOf = async (
  reader: ChildReader,
  text: string,
  signal?: AbortSignal,
  tenant?: string,
): Promise<string> => {
  const { blocks } = await reader.read(file(text), { ...(signal && { signal }), ...(tenant && { tenant }) });
  return blocks.map((block) => ('text' in block ? block.text : '')).join('\n');
};

describe('the reader of documents in a process of its own', () => {
  let folder = '';
  let program = '';
  const open: ChildReader[] = [];

  beforeAll(async () => {
    const { watchdog } = await import('../../src/adapters/documents/watchdog.ts');
    folder = await mkdtemp(path.join(tmpdir(), 'child-reader-'));
    program = path.join(folder, 'obedient.mjs');
    await writeFile(
      program,
      obedient.replace('WATCHDOG', () => JSON.stringify(watchdog)),
    );
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((reader) => reader.close()));
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  const started = (options: ChildReaderOptions = {}): ChildReader => {
    const reader = new ChildReader(options);
    open.push(reader);
    return reader;
  };
  const obedientReader = (options: ChildReaderOptions = {}): ChildReader => started({ program, ...options });

  it('reads files with the bundled program', async () => {
    const reader = started();
    const [markdown, page] = await Promise.all([
      reader.read({ bytes: Buffer.from('# Rota\n\nThe boat is washed on Sundays.\n'), filename: 'rota.md' }),
      reader.read({
        bytes: Buffer.from(
          '<!doctype html><html><body><main><h1>Rota</h1><p>Washed on Sundays.</p></main></body></html>',
        ),
      }),
    ]);
    expect(markdown).toMatchObject({ mediaType: 'text/markdown', title: 'Rota' });
    expect(markdown.blocks.at(-1)).toMatchObject({ kind: 'text', text: 'The boat is washed on Sundays.' });
    expect(page).toMatchObject({
      mediaType: 'text/html',
      blocks: [{ kind: 'heading' }, { text: 'Washed on Sundays.' }],
    });
  });

  it('passes on the problems of a file, and nothing of what a library said', async () => {
    const reader = started();
    await expect(
      reader.read({ bytes: Buffer.from('%PDF-1.7 but no more of it'), filename: 'a.pdf' }),
    ).rejects.toMatchObject({
      code: 'document-unreadable',
    });
    const elf = Buffer.concat([Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), Buffer.alloc(64)]);
    await expect(reader.read({ bytes: elf })).rejects.toMatchObject({ code: 'unsupported-document' });
  });

  it('refuses what is longer than its limit', async () => {
    const reader = started({ maxAnswer: 1_000 });
    await expect(reader.read(file('A sentence of some words. '.repeat(100)))).rejects.toMatchObject({
      code: 'document-too-large',
    });
  });

  it('ends a file that takes too long, and reads the next one', async () => {
    const reader = obedientReader({ timeLimitMs: 1_500 });
    const hanging = reader.read(file('hang'));
    const next = textOf(reader, 'next');
    await expect(hanging).rejects.toMatchObject({
      code: 'document-unreadable',
      message: 'reading it took more than 1.5 seconds',
    });
    await expect(next).resolves.toBe('next');
  });

  it('ends a file that computes too long, and not one that waits', async () => {
    const reader = obedientReader({ cpuLimitMs: 1_000, cpuLimitMsPerMb: 0 });
    await expect(reader.read(file('hang'))).rejects.toMatchObject({
      code: 'document-unreadable',
      message: 'reading it took more than 1 seconds of computing',
    });
    const abort = new AbortController();
    const waiting = textOf(reader, 'slow', abort.signal).catch(() => 'aborted');
    await expect(Promise.race([waiting, sleep(2_500, 'still waits')])).resolves.toBe('still waits');
    abort.abort();
    expect(await waiting).toBe('aborted');
  });

  it('reads files of different tenants in turn', async () => {
    const reader = obedientReader({ processes: 1 });
    const read: string[] = [];
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map(async (text) =>
      read.push(await textOf(reader, text, undefined, text[0])),
    );
    await Promise.all(all);
    expect(read).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'c1']);
  });

  it('reads others in a second process while a file takes long, and no more files than two at a time', async () => {
    const reader = obedientReader({ slowMs: 300 });
    const pid = await textOf(reader, 'pid');
    const aborts = [new AbortController(), new AbortController()];
    const slow = aborts.map(({ signal }) => textOf(reader, 'slow', signal).catch(() => 'aborted'));
    const third = textOf(reader, 'pid');
    await expect(Promise.race([third, sleep(1_000, 'waits')])).resolves.toBe('waits');
    aborts[1]!.abort();
    expect(await third).not.toBe(pid);
    // The helper is free, and takes the next one.
    expect(await textOf(reader, 'pid')).toBe(await textOf(reader, 'pid'));
    aborts[0]!.abort();
    expect(await Promise.all(slow)).toEqual(['aborted', 'aborted']);
  });

  it('refuses files while too many bytes wait', async () => {
    const reader = obedientReader({ maxWaitingBytes: 10 });
    const abort = new AbortController();
    const slow = textOf(reader, 'slow', abort.signal).catch(() => 'aborted');
    const waiting = textOf(reader, 'longer than ten');
    await expect(textOf(reader, 'another')).rejects.toMatchObject({
      code: 'overloaded',
      message: '1 file waits to be read',
    });
    abort.abort();
    expect(await Promise.all([slow, waiting])).toEqual(['aborted', 'longer than ten']);
  });

  it.each([
    ['objects', 'heap', 64],
    ['typed arrays, which are outside of the heap', 'arrays', 300],
  ])('ends a file that takes too much memory for %s', async (_, order, limit) => {
    const reader = obedientReader({ maxHeapMb: 64, maxMemoryMb: 300 });
    await expect(reader.read(file(order))).rejects.toMatchObject({
      code: 'document-unreadable',
      message: `reading it took more memory than ${limit} MB`,
    });
    await expect(textOf(reader, 'next')).resolves.toBe('next');
  });

  it('survives a crash of the process, whoever ends it', async () => {
    const reader = obedientReader();
    await expect(reader.read(file('crash'))).rejects.toMatchObject({
      code: 'document-unreadable',
      message: 'the process that read it ended unexpectedly',
    });
    const pid = Number(await textOf(reader, 'pid'));
    const interrupted = reader.read(file('slow'));
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.kill(pid, 'SIGKILL');
    await expect(interrupted).rejects.toMatchObject({ code: 'document-unreadable' });
    expect(Number(await textOf(reader, 'pid'))).not.toBe(pid);
  });

  it('starts a new process if the last one ended while it was idle', async () => {
    const reader = obedientReader();
    const pid = Number(await textOf(reader, 'pid'));
    process.kill(pid, 'SIGKILL');
    await gone(pid);
    expect(Number(await textOf(reader, 'pid'))).not.toBe(pid);
  });

  it('keeps the process for the next file, and ends it when it is idle', async () => {
    const reader = obedientReader({ idleMs: 300 });
    const pid = await textOf(reader, 'pid');
    expect(await textOf(reader, 'pid')).toBe(pid);
    await gone(Number(pid));
    expect(await textOf(reader, 'pid')).not.toBe(pid);
  });

  it('takes an aborted file out of the queue, and ends the process for one that is being read', async () => {
    const reader = obedientReader();
    const pid = Number(await textOf(reader, 'pid'));
    const [first, second] = [new AbortController(), new AbortController()];
    const reading = textOf(reader, 'slow', first.signal);
    const waiting = textOf(reader, 'never read', second.signal);
    second.abort(new Error('second'));
    await expect(waiting).rejects.toThrow('second');
    first.abort(new Error('first'));
    await expect(reading).rejects.toThrow('first');
    await gone(pid);
    await expect(textOf(reader, 'third')).resolves.toBe('third');
    await expect(textOf(reader, 'fourth', AbortSignal.abort(new Error('before')))).rejects.toThrow('before');
  });

  it('gives the process no secrets', async () => {
    process.env['STRATALOG_TEST_SECRET'] = 'secret';
    const names = (await textOf(obedientReader(), 'environment'))
      .split(',')
      .filter((name) => name !== 'NODE_CHANNEL_FD');
    delete process.env['STRATALOG_TEST_SECRET'];
    expect(
      names.filter(
        (name) => !/^(?:PATH|HOME|TMPDIR|LANG|NODE_CHANNEL_SERIALIZATION_MODE|__CF.*)$/.test(name),
      ),
    ).toEqual([]);
  });

  it('rejects what is being read and what waits when it is closed', async () => {
    const reader = obedientReader();
    const pid = Number(await textOf(reader, 'pid'));
    const both = [reader.read(file('slow')), reader.read(file('waits'))].map((read) =>
      read.catch((error: unknown) => error),
    );
    await reader.close();
    for (const error of await Promise.all(both)) expect(error).toBeInstanceOf(Error);
    await gone(pid);
    await expect(reader.read(file('late'))).rejects.toThrow('closed');
  });
});

function file(text: string): FileToRead {
  return { bytes: Buffer.from(text), filename: 'file.txt' };
}

async function gone(pid: number): Promise<void> {
  for (let waited = 0; isAlive(pid); waited += 20) {
    if (waited > 10_000) throw new Error(`the process ${pid} is still there`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** A process that has ended, and whose end its parent has not taken notice of, still takes signals. */
function isAlive(pid: number): boolean {
  try {
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z');
  } catch {
    return false;
  }
}
