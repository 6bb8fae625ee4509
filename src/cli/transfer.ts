import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { mkdtemp, realpath, rename, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SingleBar, Presets } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import { asUpsert } from './as-upsert.ts';
import { cleanOnSignal } from './clean-on-signal.ts';
import { allOf, connectionOf, linesOf, open, type Connection } from './client.ts';
import { printJson } from './output.ts';
import { mapLines } from './map-lines.ts';
import { withoutCompany, type LeftOut } from './without-company.ts';

interface BulkLine {
  readonly line: number;
  readonly status: number;
  readonly externalId?: string;
  readonly position?: string;
  readonly replayed?: true;
  readonly unchanged?: true;
  readonly problem?: { code: string; detail: string };
}

type Refusal = Omit<BulkLine, 'position' | 'replayed'>;

interface ImportOptions {
  readonly name?: string;
  readonly upsert?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description(
      'Store the memories of an NDJSON file, one body of POST /v1/memories per line. A repeated import resumes',
    )
    .argument('<file>', 'file or pipe, such as /dev/stdin')
    .addOption(
      new Option('--name <name>', 'name of this import; another name stores the same file again')
        .argParser(importName)
        .conflicts('upsert'),
    )
    .option('--upsert', 'replace the memories that have the externalIds of the file; every line needs one')
    .action(async (file: string, options: ImportOptions, own: Command) => {
      const connection = connectionOf(own);
      const kind = await stat(file);
      if (kind.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: file });
      // An import without a name is identified by a hash of its content, and a pipe can be read only once.
      if (kind.isFile() || options.name !== undefined || options.upsert)
        return importFile(connection, file, options);
      await withCopy(file, (copy) => importFile(connection, copy, options));
    });
}

/** The name is part of an `Idempotency-Key`, which takes 255 visible ASCII characters. */
function importName(text: string): string {
  if (!/^[\x21-\x7e]{1,248}$/.test(text))
    throw new InvalidArgumentError('It must be 1 to 248 visible ASCII characters without spaces.');
  return text;
}

async function importFile(connection: Connection, file: string, options: ImportOptions): Promise<void> {
  const { size } = await stat(file);
  const bar =
    !connection.json && process.stderr.isTTY
      ? new SingleBar(
          { format: '{bar} {percentage}%  {stored} stored', linewrap: true, gracefulExit: false },
          Presets.shades_grey,
        )
      : undefined;
  bar?.start(size, 0, { stored: 0 });
  try {
    await importWith(bar, connection, file, options);
  } finally {
    bar?.stop();
  }
}

async function importWith(
  bar: SingleBar | undefined,
  connection: Connection,
  file: string,
  { name, upsert = false }: ImportOptions,
): Promise<void> {
  const leftOut: LeftOut = { lines: 0, companies: new Set() };
  const placed = withoutCompany(leftOut);
  const sent = upsert ? (line: Buffer) => asUpsert(placed(line)) : placed;
  async function* counted(): AsyncGenerator<Buffer> {
    for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
      bar?.increment(chunk.length);
      yield chunk;
    }
  }
  const response = await open(connection, '/v1/memories/bulk', {
    method: 'POST',
    headers: {
      'content-type': 'application/x-ndjson',
      // An upsert needs no key: what is there already stays as it is, and an older version of a file may return.
      ...(!upsert && { 'idempotency-key': `import-${name ?? (await digestOf(file))}` }),
    },
    body: Readable.toWeb(Readable.from(mapLines(counted(), sent))) as unknown as ReadableStream,
    duplex: 'half',
  });
  const totals = { stored: 0, ...(upsert ? { updated: 0 } : {}), present: 0, refused: 0 };
  const refusals: Refusal[] = [];
  let position: string | undefined;
  for await (const { position: covered, replayed, unchanged, ...result } of linesOf<BulkLine>(response)) {
    if (replayed || unchanged) totals.present++;
    else if (result.status === 201) totals.stored++;
    else if (result.status === 200) totals.updated = (totals.updated ?? 0) + 1;
    else {
      totals.refused++;
      if (connection.json) refusals.push(result);
      else console.error(`line ${result.line}: ${result.problem?.code}: ${result.problem?.detail}`);
    }
    position = covered ?? position;
    bar?.update({ stored: totals.stored });
  }
  bar?.stop();
  const companies = [...leftOut.companies];
  if (connection.json) {
    printJson({
      ...totals,
      refusals,
      ...(leftOut.lines > 0 && { leftOut: { lines: leftOut.lines, companies } }),
      position,
    });
  } else {
    if (leftOut.lines > 0) {
      const where = `${leftOut.lines} line${leftOut.lines === 1 ? '' : 's'}`;
      console.error(
        `The company of a memory is the tenant of the credential: left out of ${where}: ${companies.join(', ')}`,
      );
    }
    const updated = totals.updated === undefined ? '' : `, ${totals.updated} updated`;
    console.log(
      `${totals.stored} stored${updated}, ${totals.present} there already, ${totals.refused} refused`,
    );
  }
  if (totals.refused > 0) process.exitCode = 1;
}

/** Copies a pipe to a temporary file, and calls `use` with the path of the copy. */
async function withCopy(pipe: string, use: (copy: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-import-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const leaveSignals = cleanOnSignal(remove);
  try {
    const copy = path.join(folder, 'copy.ndjson');
    await pipeline(createReadStream(pipe), createWriteStream(copy));
    await use(copy);
  } finally {
    remove();
    leaveSignals();
  }
}

interface ExportedMemory extends Record<string, unknown> {
  readonly scope: Record<string, string>;
}

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
  'retentionUntil',
];

export function exportCommand(): Command {
  return new Command('export')
    .description('Write the memories that the key may see, oldest first, as NDJSON for `import`')
    .argument('[file]', 'default: standard output')
    .option('--full', 'include ids, revisions and counters, which `import` refuses')
    .action(async (file: string | undefined, options: { full?: boolean }, own: Command) => {
      const connection = connectionOf(own);
      let written = 0;
      async function* lines(): AsyncGenerator<string> {
        // `import` stores in the order of the file, and the order of a session's turns depends on it.
        const memories = allOf<ExportedMemory>(connection, '/v1/memories', { order: 'oldest' });
        for await (const memory of memories) {
          yield `${JSON.stringify(options.full ? memory : withoutDerived(memory))}\n`;
          written++;
        }
      }
      if (file === undefined) return pipeline(lines, process.stdout, { end: false });
      await writeWhole(file, lines);
      if (connection.json) printJson({ written, file });
      else console.log(`${written} memories written to ${file}`);
    });
}

/** Replaces the file only after everything was written, so that it is never a partial export. Only its owner may read it. */
async function writeWhole(file: string, lines: () => AsyncIterable<string>): Promise<void> {
  const kind = await stat(file).catch(() => undefined);
  // Such as a terminal or a pipe.
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

/** Also removes the company: it is the tenant, and another tenant would refuse it. */
function withoutDerived({ scope, ...memory }: ExportedMemory): Record<string, unknown> {
  const { company: _, ...placed } = scope;
  const given = Object.entries(memory).filter(([field]) => !derived.includes(field));
  return { ...Object.fromEntries(given), scope: placed };
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex').slice(0, 32);
}
