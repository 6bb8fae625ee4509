import { appendFile, open } from 'node:fs/promises';
import { parseCheckpoint, type TreeHead } from '../domain/tlog/checkpoint.ts';
import { isSignedBy, MalformedNote, notesIn, type Verifier } from '../domain/tlog/note.ts';

/** Sends a signed head to where somebody who can change the log cannot reach it. Rejects if it did not arrive. */
export type PublishHead = (note: string) => Promise<void>;

const timeoutMs = 10_000;

const isAddress = (target: string): boolean => /^https?:\/\//i.test(target);
/** Enough for many heads, also with the signatures of several keys. */
const tailBytes = 65_536;

/**
 * The last head with this name and a signature of one of these keys that was appended to the file; undefined if there is none, if heads
 * are sent elsewhere, or if the file may only be appended to.
 */
export async function lastPublished(
  target: string | undefined,
  origin: string,
  verifiers: readonly Verifier[],
): Promise<TreeHead | undefined> {
  if (target === undefined || isAddress(target)) return undefined;
  const heads = notesIn(await tailOf(target)).flatMap((note) => headIn(note) ?? []);
  return heads.findLast(
    (head) => head.origin === origin && verifiers.some((verifier) => isSignedBy(head.note, verifier)),
  );
}

async function tailOf(file: string): Promise<string> {
  const handle = await open(file, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT' && error.code !== 'EACCES') throw error;
  });
  if (!handle) return '';
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - tailBytes);
    const bytes = Buffer.alloc(size - start);
    await handle.read(bytes, 0, bytes.length, start);
    return bytes.toString('utf8');
  } finally {
    await handle.close();
  }
}

/** Undefined for a note whose beginning was cut off. */
function headIn(note: string): ReturnType<typeof parseCheckpoint> | undefined {
  try {
    return parseCheckpoint(note.endsWith('\n') ? note : `${note}\n`);
  } catch (error) {
    if (error instanceof MalformedNote) return undefined;
    throw error;
  }
}

/** Posts heads to an http or https address, or appends them to a file; undefined without a target. */
export function headPublisher(target: string | undefined): PublishHead | undefined {
  if (target === undefined) return undefined;
  if (!isAddress(target)) return (note) => appendFile(target, `${note}\n`);
  return async (note) => {
    const response = await fetch(target, {
      method: 'POST',
      body: note,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      signal: AbortSignal.timeout(timeoutMs),
    });
    // The address may contain a secret.
    if (!response.ok) throw new Error(`the receiver of signed heads answered ${response.status}`);
  };
}
