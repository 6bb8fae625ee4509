import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { mkdtemp, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { SingleBar, Presets } from 'cli-progress';
import { Command, InvalidArgumentError, Option } from 'commander';
import type { BulkLine } from '../../packages/client/src/index.ts';
import { TransferLines, type RecordTotals } from './import-records.ts';
import { asImported, asUpsert, mapLines, withoutCompany, type LeftOut } from './import-lines.ts';
import { cleanOnSignal } from './clean-on-signal.ts';
import { connect } from './client.ts';
import { printJson } from './output.ts';

type Refusal = Omit<BulkLine, 'position' | 'replayed'>;

type Connected = ReturnType<typeof connect>;

interface ImportOptions {
  readonly name?: string;
  readonly upsert?: boolean;
}

export function importCommand(): Command {
  return new Command('import')
    .description(
      'Store the memories of an NDJSON file, one body of POST /v1/memories per line, or an export with its links, feedback and traces. An import that is repeated resumes where it stopped',
    )
    .argument('<file>', 'file or pipe to read; - is standard input')
    .addOption(
      new Option('--name <name>', 'name of this import; use another name to store the same file again')
        .argParser(importName)
        .conflicts('upsert'),
    )
    .option(
      '--upsert',
      'replace memories that have an externalId of the file; every line needs an externalId',
    )
    .action(async (file: string, options: ImportOptions, command: Command) => {
      const connected = connect(command);
      const { name } = options;
      if (file === '-') {
        // An import without a name is identified by a hash of its content, and a pipe can be read only once.
        if (name === undefined && !options.upsert)
          return withCopy(process.stdin, (copy) => importFile(connected, copy, options));
        return importFrom(connected, { read: process.stdin, key: name }, options);
      }
      const kind = await stat(file);
      if (kind.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR', path: file });
      if (kind.isFile() || name !== undefined || options.upsert) return importFile(connected, file, options);
      await withCopy(createReadStream(file), (copy) => importFile(connected, copy, options));
    });
}

/** The name is part of an `Idempotency-Key`, which takes 255 visible ASCII characters. */
function importName(text: string): string {
  if (!/^[\x21-\x7e]{1,248}$/.test(text))
    throw new InvalidArgumentError('It must be 1 to 248 visible ASCII characters without spaces.');
  return text;
}

/** What an import reads. */
interface Source {
  /** A function is called again if the connection is lost. */
  readonly read: Readable | (() => Readable);
  /** Identifies this import; part of its idempotency key. */
  readonly key: string | undefined;
  /** Size in bytes; unknown for a pipe. */
  readonly size?: number;
}

async function importFile(connected: Connected, file: string, options: ImportOptions): Promise<void> {
  const { size } = await stat(file);
  // An upsert needs no key: it does not change memories that are equal already. With a key, a file that goes back to an older version
  // would be answered as a repetition.
  const key = options.upsert ? undefined : (options.name ?? (await digestOf(file)));
  await importFrom(connected, { read: () => createReadStream(file), key, size }, options);
}

async function importFrom(connected: Connected, source: Source, options: ImportOptions): Promise<void> {
  const bar =
    source.size !== undefined && !connected.json && process.stderr.isTTY
      ? new SingleBar(
          { format: '{bar} {percentage}%  {stored} stored', linewrap: true, gracefulExit: false },
          Presets.shades_grey,
        )
      : undefined;
  bar?.start(source.size!, 0, { stored: 0 });
  try {
    await importWith(bar, connected, source, options);
  } finally {
    bar?.stop();
  }
}

async function importWith(
  bar: SingleBar | undefined,
  { client, json }: Connected,
  { read, key }: Source,
  { upsert = false }: ImportOptions,
): Promise<void> {
  const leftOut: LeftOut = { lines: 0, companies: new Set() };
  const placed = withoutCompany(leftOut);
  const transfer = new TransferLines();
  const sent = (line: Buffer) => {
    const memory = asImported(placed(transfer.memoryOf(line)));
    return upsert ? asUpsert(memory) : memory;
  };
  async function* counted(chunks: Readable): AsyncGenerator<Buffer> {
    for await (const chunk of chunks as AsyncIterable<Buffer>) {
      bar?.increment(chunk.length);
      yield chunk;
    }
  }
  const results = client.memories.bulk(
    typeof read === 'function'
      ? () => {
          leftOut.lines = 0;
          transfer.restart();
          bar?.update(0);
          return mapLines(counted(read()), sent);
        }
      : mapLines(counted(read), sent),
    key === undefined ? {} : { idempotencyKey: `import-${key}` },
  );
  const totals = { stored: 0, ...(upsert ? { updated: 0 } : {}), present: 0, refused: 0 };
  const refusals: Refusal[] = [];
  let position: string | undefined;
  for await (const { position: covered, replayed, unchanged, duplicate, ...result } of results) {
    if (replayed || unchanged || duplicate) totals.present++;
    else if (result.status === 201) totals.stored++;
    else if (result.status === 200) totals.updated = (totals.updated ?? 0) + 1;
    else {
      totals.refused++;
      const { line, problem = {} } = result;
      if (json) refusals.push(result);
      else console.error(`line ${line}: ${String(problem['code'])}: ${String(problem['detail'])}`);
    }
    position = covered ?? position;
    transfer.stored(result.line, result.id);
    bar?.update({ stored: totals.stored });
  }
  bar?.stop();
  const records = await transfer.send(client, (line, { code, status, detail }) => {
    totals.refused++;
    if (json) refusals.push({ line, status, problem: { code, detail } });
    else console.error(`line ${line}: ${code}: ${detail}`);
  });
  const companies = [...leftOut.companies];
  if (json) {
    printJson({
      ...totals,
      ...(records && { records }),
      refusals,
      ...(leftOut.lines > 0 && { leftOut: { lines: leftOut.lines, companies } }),
      position,
    });
  } else {
    if (leftOut.lines > 0) {
      const where = `${leftOut.lines} line${leftOut.lines === 1 ? '' : 's'}`;
      console.error(
        `The company of a memory is always the tenant of the credential, so it was left out of ${where}: ${companies.join(', ')}`,
      );
    }
    const updated = totals.updated === undefined ? '' : `, ${totals.updated} updated`;
    console.log(
      `${totals.stored} stored${updated}, ${totals.present} there already, ${totals.refused} refused${records ? `; ${inWords(records)}` : ''}`,
    );
  }
  if (totals.refused > 0) process.exitCode = 1;
}

function inWords({ links, feedback, traces, leftOut }: RecordTotals): string {
  const left = leftOut > 0 ? `, ${leftOut} other lines left out` : '';
  return `${links} links, ${feedback} feedback, ${traces} traces${left}`;
}

/** Copies a pipe to a temporary file, and calls `use` with the path of the copy. */
async function withCopy(pipe: Readable, use: (copy: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'stratalog-import-'));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  const leaveSignals = cleanOnSignal(remove);
  try {
    const copy = path.join(folder, 'copy.ndjson');
    await pipeline(pipe, createWriteStream(copy));
    await use(copy);
  } finally {
    remove();
    leaveSignals();
  }
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex').slice(0, 32);
}
