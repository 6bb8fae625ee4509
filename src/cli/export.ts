import { Command, InvalidArgumentError, Option } from 'commander';
import type { Stratalog } from '../../packages/client/src/index.ts';
import { packageVersion } from '../adapters/package-version.ts';
import { connect } from './client.ts';
import { TellingLines } from './export-memories.ts';
import { auditedKinds, mayReadAudit, recordsOf } from './export-records.ts';
import { exportTraining } from './export-training.ts';
import { untilReadModelsReachHead } from './log-head.ts';
import { printJson } from './output.ts';
import { ProgressCounter } from './progress-counter.ts';
import { exportFormat, kinds, TransferRefused, type ExportHeader, type Kind } from './transfer-records.ts';
import { writeLines } from './write-whole.ts';

interface ExportOptions {
  readonly full?: boolean;
  readonly include?: readonly Kind[];
  readonly history?: boolean;
  readonly training?: string;
  readonly consent?: readonly string[];
}

export function exportCommand(): Command {
  return new Command('export')
    .description(
      'Write the memories that the key may see, oldest first, as NDJSON for `import`, with their links, feedback, traces and summaries. Includes everything stored before the export began',
    )
    .argument('[file]', 'file to write; - or no file is standard output')
    .addOption(
      new Option(
        '--include <kinds>',
        'what to write besides memories, separated by commas: links, feedback, traces, summaries, history, or none. Default: all that the key may read, without history',
      ).argParser(kindsOf),
    )
    .option('--history', 'also all versions of each memory, for reading: `import` leaves them out')
    .addOption(
      new Option('--full', 'memories alone with revisions and counters, which `import` refuses').conflicts([
        'include',
        'history',
        'training',
      ]),
    )
    .addOption(
      new Option(
        '--training <file>',
        'write a corpus for fine-tuning instead: one line for each search, with what was found and used. Needs --consent',
      ).conflicts(['include', 'history']),
    )
    .option(
      '--consent <user...>',
      'users who agreed that their searches and memories are used for training (repeatable)',
    )
    .action(async (file: string | undefined, options: ExportOptions, command: Command) => {
      const { client, json } = connect(command);
      const { training, consent } = options;
      if (training === undefined && consent !== undefined)
        command.error('error: --consent is for --training FILE');
      if (training !== undefined && file !== undefined)
        command.error('error: --training FILE names the file to write; give no other');
      if (training !== undefined && consent === undefined)
        command.error(
          'error: --training needs --consent USER…: the users who agreed that their searches and memories are used for training',
        );
      const target = training ?? file ?? '-';
      const counts: Counts = {};
      const progress = new ProgressCounter(json || target === '-');
      try {
        const position = await untilReadModelsReachHead(client);
        const lines =
          training === undefined
            ? () => exported(client, position, options, counts)
            : () => exportTraining(client, position, consent!, counts);
        await writeLines(target, () => progress.counted(lines(), counts));
        progress.stop();
        console.error(`${inWords(counts)} written to ${target === '-' ? 'standard output' : target}`);
        if (json && target !== '-')
          printJson({ ...counts, written: counts['memories'] ?? 0, file: target, position });
      } finally {
        progress.stop();
      }
    });
}

function kindsOf(text: string): readonly Kind[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.length === 1 && (names[0] === 'none' || names[0] === 'memories')) return [];
  const wrong = names.find((name) => name !== 'memories' && !kinds.some((kind) => kind === name));
  if (wrong !== undefined)
    throw new InvalidArgumentError(`"${wrong}" is none of ${kinds.join(', ')}, or none alone.`);
  return kinds.filter((kind) => names.includes(kind));
}

/** How many of each kind were written. */
type Counts = Record<string, number>;

async function* exported(
  client: Stratalog,
  position: string | undefined,
  options: ExportOptions,
  counts: Counts,
): AsyncGenerator<string> {
  counts['memories'] = 0;
  if (options.full) {
    for await (const memory of client.memories.list({ order: 'oldest' })) {
      yield `${JSON.stringify(memory)}\n`;
      counts['memories']++;
    }
    return;
  }
  const { holds, mayAudit } = await chosenKinds(client, options);
  const header: ExportHeader = {
    stratalog: 'export',
    format: exportFormat,
    version: packageVersion(),
    position,
    at: new Date().toISOString(),
    holds: ['memories', ...holds],
  };
  yield `${JSON.stringify(header)}\n`;
  const ids = new Set<string>();
  const copies = new TellingLines();
  // `import` stores in the order of the file, and the order of a session's turns depends on it.
  for await (const memory of client.memories.list({ order: 'oldest' })) {
    for (const line of copies.of(memory)) yield `${JSON.stringify(line)}\n`;
    counts['memories']++;
    ids.add(memory.id);
  }
  for (const kind of holds) {
    for await (const record of recordsOf[kind]({ client, ids, position, mayAudit })) {
      yield `${JSON.stringify(record)}\n`;
      counts[kind] = (counts[kind] ?? 0) + 1;
    }
  }
}

/** Without `--include`: everything but history, as far as the key may read it. */
async function chosenKinds(
  client: Stratalog,
  { include, history = false }: ExportOptions,
): Promise<{ holds: readonly Kind[]; mayAudit: boolean }> {
  const asked = kinds.filter(
    (kind) => (include?.includes(kind) ?? kind !== 'history') || (kind === 'history' && history),
  );
  const mayAudit =
    asked.some((kind) => kind === 'links' || auditedKinds.includes(kind)) && (await mayReadAudit(client));
  const missing = mayAudit ? [] : asked.filter((kind) => auditedKinds.includes(kind));
  if (missing.length === 0) return { holds: asked, mayAudit };
  const reason = `${missing.join(' and ')}: only the audit has them, which takes a key of role auditor or admin`;
  if (include !== undefined) throw new TransferRefused(`The key may not read ${reason}.`);
  console.error(`Left out: ${reason}.`);
  return { holds: asked.filter((kind) => !missing.includes(kind)), mayAudit };
}

const singular: Record<string, string> = {
  memories: 'memory',
  links: 'link',
  feedback: 'feedback',
  traces: 'trace',
  summaries: 'summary',
  history: 'version',
  searches: 'search',
};
const plural: Record<string, string> = { history: 'versions' };

function inWords(counts: Counts): string {
  return Object.entries(counts)
    .map(([kind, count]) => `${count} ${count === 1 ? singular[kind] : (plural[kind] ?? kind)}`)
    .join(', ');
}
