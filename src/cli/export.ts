import { randomUUID } from 'node:crypto';
import { createWriteStream, rmSync } from 'node:fs';
import { realpath, rename, stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { cleanOnSignal } from './clean-on-signal.ts';
import {
  isProblem,
  ProblemError,
  type Readiness,
  type StoredMemory,
  type Stratalog,
} from '../../packages/client/src/index.ts';
import { detailedToldKey, isAffirmable, type Telling } from '../domain/memory/affirmation.ts';
import { textHash } from '../support/text-hash.ts';
import { connect } from './client.ts';
import { printJson } from './output.ts';

/** Fields that the server sets and a store request must not have. */
const derived = [
  'id',
  'createdAt',
  'updatedAt',
  'createdBy',
  'revision',
  'state',
  'importance',
  'feedback',
  'accessCount',
  'lastAccessedAt',
  'affirmations',
  'affirmedAt',
  'retentionUntil',
];

export function exportCommand(): Command {
  return new Command('export')
    .description(
      'Write the memories that the key may see, oldest first, as NDJSON for `import`. Includes everything stored before the export began',
    )
    .argument('[file]', 'file to write; - or no file is standard output')
    .option('--full', 'include ids, revisions and counters, which `import` refuses')
    .action(async (file: string = '-', options: { full?: boolean }, command: Command) => {
      const { client, json } = connect(command);
      await untilReadModelsReachHead(client);
      let written = 0;
      const copies = new TellingLines();
      async function* lines(): AsyncGenerator<string> {
        // `import` stores in the order of the file, and the order of a session's turns depends on it.
        for await (const memory of client.memories.list({ order: 'oldest' })) {
          for (const line of options.full ? [memory] : copies.of(memory)) yield `${JSON.stringify(line)}\n`;
          written++;
        }
      }
      if (file === '-') await pipeline(lines, process.stdout, { end: false });
      else await writeWhole(file, lines);
      const count = `${written} ${written === 1 ? 'memory' : 'memories'}`;
      console.error(`${count} written to ${file === '-' ? 'standard output' : file}`);
      if (json && file !== '-') printJson({ written, file });
    });
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

/**
 * Also removes the company, which is the tenant: another tenant would refuse it. A memory that names no time is as old as its store: after
 * an import, "last week" and what is newer still go by that.
 */
function withoutDerived({ scope, ...memory }: StoredMemory): Record<string, unknown> {
  const { company: _, ...placed } = scope;
  const given = Object.entries(memory).filter(([field]) => !derived.includes(field));
  return { ...Object.fromEntries(given), occurredAt: memory.occurredAt ?? memory.createdAt, scope: placed };
}

/**
 * The lines from which an import makes the memories of an export again: of memories that say the same each one is kept, and one that
 * was told again is told again.
 */
class TellingLines {
  readonly #told = new Set<string>();

  of(memory: StoredMemory): readonly Record<string, unknown>[] {
    const line = withoutDerived(memory);
    if (memory.externalId !== undefined || !isAffirmable(memory)) return [line];
    const telling = textHash(detailedToldKey(memory as Telling));
    const isCopy = this.#told.has(telling);
    this.#told.add(telling);
    return [
      isCopy ? { ...line, duplicates: 'keep' } : line,
      ...(memory.affirmedAt === undefined ? [] : [{ ...line, occurredAt: memory.affirmedAt }]),
    ];
  }
}

/** How long the server waits for one request. */
const waitMs = 30_000;
const maxWaits = 10;

/**
 * Waits until lists include everything that was acknowledged before. Says on standard error when that takes long, and
 * throws the server's `position-timeout` if it takes more than five minutes.
 */
async function untilReadModelsReachHead(client: Stratalog): Promise<void> {
  const position = await headOf(client);
  if (position === undefined) {
    console.error('The server does not tell the head of its log: the latest memories may be missing.');
    return;
  }
  for (let attempt = 1; ; attempt++) {
    try {
      await client.memories.list({ limit: 1, minPosition: position, waitMs });
      return;
    } catch (error) {
      if (!isProblem(error, 'position-timeout') || attempt === maxWaits) throw error;
      console.error('Waiting for the read models to reach the head of the log …');
    }
  }
}

/** The position of the last event; undefined if `/readyz` is not reachable or does not know. */
async function headOf(client: Stratalog): Promise<string | undefined> {
  try {
    const { log }: Partial<Readiness> = await client.readiness();
    return log && 'position' in log ? log.position : undefined;
  } catch (error) {
    // A proxy may hide the path.
    if (error instanceof ProblemError) return undefined;
    throw error;
  }
}
