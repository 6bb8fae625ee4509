import { hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { Document, StoreMemory, Stratalog } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { filesBelow, maxFileBytes, type FoundFile } from './ingest/found-files.ts';
import { planIngest, type IngestStep } from './ingest/plan.ts';
import { runAtChanges } from './ingest/watch.ts';
import { printable, printJson } from './output.ts';
import { Progress } from './progress.ts';
import { scopeOf, withScopeOptions, type ScopeOptions } from './scope-options.ts';

interface Options extends ScopeOptions {
  readonly space: string[];
  readonly layer?: StoreMemory['layer'];
  readonly tag: string[];
  readonly dryRun?: true;
  readonly watch?: true;
}

const collect = (value: string, before: string[]): string[] => [...before, value];

/** How long changes are collected before they are sent. */
const settleMs = 500;
/** How long it waits for a server that does not answer. */
const retryMs = 5_000;
/** Documents whose sections are stored at once. */
const sentAtOnce = 16;
const waitMs = 30_000;

export function ingestCommand(): Command {
  const command = new Command('ingest')
    .description(
      'Store files as documents: their sections become memories. A run again sends only what changed',
    )
    .argument('<path...>', 'files and folders; what a .gitignore excludes is left out')
    .option('--space <space>', 'space of the memories; may be repeated', collect, [])
    .option('--layer <layer>', 'layer of the memories (default: user)')
    .option('--tag <tag>', 'tag of the memories; may be repeated', collect, [])
    .option('--dry-run', 'say what would be sent and deleted, and change nothing')
    .option('--watch', 'go on, and send what changes');
  return withScopeOptions(command, 'the memories').action(run);
}

async function run(paths: readonly string[], options: Options, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const roots = await Promise.all(paths.map((each) => rootOf(command, each)));
  const refused = new Map<string, string>();
  const failed = await ingest(client, roots, options, { json, refused });
  if (options.watch && !options.dryRun) return follow(client, roots, options, { json, refused });
  if (failed > 0) process.exitCode = 1;
}

interface Root {
  readonly folder: string;
  /** Undefined: all files below the folder. */
  readonly file: string | undefined;
}

async function rootOf(command: Command, given: string): Promise<Root> {
  const full = path.resolve(given);
  const found = await stat(full).catch(() => command.error(`error: ${given} does not exist`));
  return found.isDirectory()
    ? { folder: full, file: undefined }
    : { folder: path.dirname(full), file: path.basename(full) };
}

interface RunState {
  readonly json: boolean;
  /** Hashes of the files, by externalId, that the server could not read; a run adds its own. */
  readonly refused: Map<string, string>;
}

/** One run. Returns how many files could not be read, and how many folders have lost all of their files. */
async function ingest(
  client: Stratalog,
  roots: readonly Root[],
  options: Options,
  { json, refused }: RunState,
): Promise<number> {
  const steps: IngestStep[] = [];
  let emptied = 0;
  for (const root of roots) {
    const files = await filesBelow(root.folder, root.file);
    const known = await knownBelow(client, root, files);
    if (files.length === 0 && known.length > 0) {
      emptied++;
      console.error(`${printable(root.folder)} has no files any more; its documents stay`);
    }
    steps.push(
      ...(await planIngest({
        files,
        known,
        isWhole: root.file === undefined,
        spaces: options.space,
        tags: options.tag,
        refused,
      })),
    );
  }
  if (options.dryRun) {
    if (json) printJson({ steps: steps.map(({ action, externalId }) => ({ action, externalId })) });
    else for (const { action, externalId } of steps) console.log(`${action} ${printable(externalId)}`);
    return 0;
  }
  const due = steps.filter(({ action }) => action !== 'unchanged');
  const progress = new Progress('files', { json });
  const results: Result[] = [];
  try {
    for (let at = 0; at < due.length; at += sentAtOnce) {
      const done = due.slice(at, at + sentAtOnce).map((step) => carryOut(client, step, options, refused));
      results.push(...(await Promise.all(done)));
      progress.update(results.length, due.length);
    }
  } finally {
    progress.stop();
  }
  const failed = results.filter(({ action, document }) => action === 'too-large' || document?.problem);
  if (json) printJson({ unchanged: steps.length - due.length, results });
  else printResults(results, steps.length - due.length);
  return failed.length + emptied;
}

interface Result {
  readonly action: IngestStep['action'];
  readonly externalId: string;
  readonly document?: Document;
}

async function carryOut(
  client: Stratalog,
  step: IngestStep,
  options: Options,
  refused: Map<string, string>,
): Promise<Result> {
  const { action, externalId } = step;
  if (step.action === 'too-large') return { action, externalId };
  if (step.action === 'delete') {
    await client.documents.delete(step.documentId);
    return { action, externalId };
  }
  const scope = scopeOf(options);
  const bytes = await step.file.read();
  const { document } = await client.documents.put(
    externalId,
    {
      bytes,
      filename: step.file.name,
      sourceUri: step.file.uri,
      ...(options.layer && { layer: options.layer }),
      ...(scope && { scope }),
      spaces: options.space,
      tags: options.tag,
      ...(step.action === 'move' && { movedFrom: step.movedFrom }),
    },
    { waitMs },
  );
  if (document.problem) refused.set(externalId, hash('sha256', bytes, 'hex'));
  return { action, externalId, document };
}

/** The documents that earlier runs stored from below the folder, or from this file. */
async function knownBelow(
  client: Stratalog,
  { folder, file }: Root,
  files: readonly FoundFile[],
): Promise<Document[]> {
  const prefix =
    file === undefined ? `${folder.replaceAll(path.sep, '/')}/` : (files[0]?.externalId ?? folder);
  const known: Document[] = [];
  for await (const document of client.documents.list({ prefix })) known.push(document);
  return known;
}

function printResults(results: readonly Result[], unchanged: number): void {
  for (const { action, externalId, document } of results) {
    const name = printable(externalId);
    if (action === 'too-large') console.log(`failed ${name}: it has more than ${maxFileBytes} bytes`);
    else if (!document) console.log(`deleted ${name}`);
    else if (document.problem) console.log(`failed ${name}: ${printable(document.problem.detail)}`);
    else console.log(`${pastOf(action)} ${name}: ${document.memories} memories${skippedText(document)}`);
  }
  const tooLarge = results.filter(({ action }) => action === 'too-large').length;
  console.log(`${results.length - tooLarge} sent or deleted, ${unchanged} unchanged`);
}

function pastOf(action: IngestStep['action']): string {
  const past = { add: 'added', change: 'changed', move: 'moved', delete: 'deleted' };
  return action === 'unchanged' || action === 'too-large' ? action : past[action];
}

function skippedText({ skipped }: Document): string {
  const parts = skipped.map(({ reason, count }) => `${count} ${reason}`);
  return parts.length === 0 ? '' : `, skipped ${parts.join(', ')}`;
}

/** Sends what changes until the process is stopped. */
function follow(
  client: Stratalog,
  roots: readonly Root[],
  options: Options,
  state: RunState,
): Promise<never> {
  if (!state.json) console.error('watching for changes; stop with Ctrl+C');
  const folders = roots.map(({ folder }) => folder);
  return runAtChanges(folders, () => ingest(client, roots, options, state), {
    settleMs,
    retryMs,
    onFailure: ({ message }) => console.error(`${printable(message)}; trying again`),
  });
}
