import { Command, Option } from 'commander';
import type { Document, ReprocessDocument } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { printable, printJson } from './output.ts';

type Reason = NonNullable<ReprocessDocument['accept']>[number];

interface ListOptions {
  readonly space?: string;
  readonly state?: 'stored' | 'failed' | 'deleted';
  readonly limit: string;
}

/** Reasons that a person may overrule. */
const reasons: readonly Reason[] = ['low-quality', 'duplicate', 'not-accepted'];

export function documentsCommand(): Command {
  const command = new Command('documents').description(
    'Show documents, what was skipped of them, and delete or process them again; `ingest` stores them',
  );
  command
    .command('list')
    .description('List documents, the newest first')
    .option('--space <space>', 'only documents of this space')
    .addOption(new Option('--state <state>', 'default: not deleted').choices(['stored', 'failed', 'deleted']))
    .option('--limit <n>', 'maximum number of documents', '50')
    .action(list);
  command.command('show').description('Show a document').argument('<document>').action(show);
  command
    .command('text')
    .description('Print the text that was read from the file, as Markdown')
    .argument('<document>')
    .action(text);
  command
    .command('delete')
    .description('Delete a document with the memories of its sections')
    .argument('<document>')
    .option('--erase', 'erase it permanently, with a receipt')
    .action(remove);
  command.command('restore').description('Undo a deletion').argument('<document>').action(restore);
  command
    .command('reprocess')
    .description('Decide about its sections anew')
    .argument('<document>')
    .addOption(new Option('--accept <reason...>', 'store what was skipped for this reason').choices(reasons))
    .action(reprocess);
  return command;
}

async function list({ space, state, limit }: ListOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const page = await client.documents.list({
    limit: Number(limit),
    ...(space !== undefined && { space }),
    ...(state !== undefined && { state }),
  });
  if (json) return printJson(page);
  if (page.items.length === 0) return console.log('no documents');
  for (const document of page.items) console.log(lineOf(document));
  if (page.nextCursor !== undefined) console.log(`more than ${page.items.length}: use --limit`);
}

async function show(id: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.documents.get(id);
  if (json) return printJson(answer);
  print(answer.document);
}

async function text(id: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.documents.text(id);
  if (json) return printJson(answer);
  process.stdout.write(answer.text);
}

async function remove(id: string, { erase }: { readonly erase?: true }, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.documents.delete(id, erase ? { mode: 'erase' } : {});
  if (json) return printJson(answer);
  console.log(
    erase
      ? `erased; the receipt: stratalog erasures get ${id}`
      : `deleted; stratalog documents restore ${id}`,
  );
}

async function restore(id: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.documents.restore(id);
  if (json) return printJson(answer);
  print(answer.document);
}

async function reprocess(
  id: string,
  { accept = [] }: { readonly accept?: Reason[] },
  command: Command,
): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.documents.reprocess(id, { accept });
  if (json) return printJson(answer);
  print(answer.document);
}

function lineOf({ id, title, state, memories, problem }: Document): string {
  return `${id}  ${problem ? problem.code : state}  ${memories} memories  ${printable(title)}`;
}

function print(document: Document): void {
  const { skipped, problem, progress, pages } = document;
  console.log(lineOf(document));
  console.log(`revision ${document.revision}, ${document.bytes} bytes, ${document.mediaType ?? 'not read'}`);
  if (progress.stage !== 'done') console.log(`${progress.done} of ${progress.total} sections are stored`);
  if (pages) console.log(`${pages.total} pages; without text: ${pages.withoutText.join(', ') || 'none'}`);
  if (pages?.hidden) console.log(`hidden: ${pages.hidden.join(', ')}`);
  if (problem) console.log(`${problem.code}: ${printable(problem.detail)}`);
  for (const { reason, count, examples } of skipped)
    console.log(`skipped ${count} ${reason}: ${examples.map(printable).join('; ')}`);
}
