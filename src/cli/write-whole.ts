import { randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { realpath, rename, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { cleanOnSignal } from './clean-on-signal.ts';

/** Writes lines to a file, or to standard output if the name is `-`. */
export async function writeLines(file: string, lines: () => AsyncIterable<string>): Promise<void> {
  if (file === '-') await pipeline(lines, process.stdout, { end: false });
  else await writeWhole(file, lines);
}

/** Replaces the file only after everything was written, so that it is never a partial export. Only its owner may read it. */
async function writeWhole(file: string, lines: () => AsyncIterable<string>): Promise<void> {
  const kind = await stat(file).catch(() => undefined);
  // A terminal or a pipe cannot be replaced.
  if (kind && !kind.isFile()) return pipeline(lines, createWriteStream(file));
  const target = kind ? await realpath(file) : file;
  const part = `${target}.${randomUUID()}.part`;
  const remove = () => rmSync(part, { force: true });
  const leaveSignals = cleanOnSignal(remove);
  try {
    await pipeline(lines, createWriteStream(part, { mode: 0o600, flags: 'wx' }));
    await rename(part, target);
  } catch (error) {
    // Report the error with the name that the user gave, not the temporary one.
    const refused = error as NodeJS.ErrnoException;
    if (refused.path === part) {
      refused.path = file;
      refused.message = refused.message.replace(part, file);
    }
    throw error;
  } finally {
    remove();
    leaveSignals();
  }
}
