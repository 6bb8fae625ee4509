import { readFile } from 'node:fs/promises';
import { Command } from 'commander';
import type { Review, ReviewDecision, TrustPolicy } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { reasonOption } from './memories/options.ts';
import { memoryText } from './memories/show.ts';
import { preview, printable, printJson } from './output.ts';

type Decision = ReviewDecision['decision'];

interface DecisionOptions {
  readonly reason?: string;
  readonly with?: string;
}

const decisions: readonly (readonly [decision: Decision, description: string, other?: string])[] = [
  ['approve', 'Let everybody find what waits for a review'],
  ['reject', 'Keep it out of every answer'],
  ['keep', 'Leave it as it is, and close the question'],
  ['merge', 'Delete it, because another memory says it', '<memory>'],
  ['supersede', 'Approve it, and let it replace another memory', '<memory>'],
  ['undo', 'Take the last decision back'],
];

export function reviewsCommand(): Command {
  const command = new Command('reviews').description(
    'Show what waits for a review, and decide: memories in quarantine, contradictions, duplicates, outdated memories',
  );
  command
    .command('list')
    .description('List what waits for a review')
    .option('--kind <kind...>', 'quarantine, conflict, duplicate or stale')
    .option('--limit <n>', 'maximum number of reviews', '20')
    .action(list);
  command
    .command('show')
    .description('Show a review with the memories beside it')
    .argument('<review>')
    .action(show);
  for (const [decision, description, other] of decisions) {
    const one = command
      .command(decision)
      .description(description)
      .argument('<review...>')
      .addOption(reasonOption());
    if (other) one.option(`--with ${other}`, 'id of the other memory; default: that of the conflict');
    one.action((ids: string[], options: DecisionOptions, self: Command) =>
      decide(decision, ids, options, self),
    );
  }
  command
    .command('policy')
    .description('Show what waits for a review and who reviews, or replace it with that of a JSON file')
    .option('--config <file>', 'file with the policy, such as {"quarantine": [{"flag": "instruction"}]}')
    .action(policy);
  return command;
}

async function list(
  { kind, limit }: { readonly kind?: Review['kind'][]; readonly limit: string },
  command: Command,
): Promise<void> {
  const { client, json } = connect(command);
  const page = await client.reviews.list({ limit: Number(limit), ...(kind && { kind }) });
  if (json) return printJson(page);
  if (page.items.length === 0) return console.log('nothing waits for a review');
  for (const review of page.items) console.log(lineOf(review));
  if (page.nextCursor !== undefined) console.log(`more than ${page.items.length}: use --limit`);
}

function lineOf({ id, memory: { content, trust } }: Review): string {
  const flags = trust.flags.length > 0 ? `  ${trust.flags.join(', ')}` : '';
  return `${id}  from ${trust.source}${flags}\n  ${preview(content, 100)}`;
}

async function show(id: string, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  for await (const review of client.reviews.list()) {
    if (review.id !== id) continue;
    if (json) return printJson(review);
    console.log(`${lineOf(review)}\n\n${memoryText(review.memory)}`);
    for (const [title, memories] of [
      [review.kind === 'duplicate' ? 'says the same' : 'contradicts', review.others],
      ['is like', review.alike],
    ] as const)
      for (const memory of memories) console.log(`\n${title}:\n${memoryText(memory)}`);
    return;
  }
  command.error('error: no such review waits');
}

async function decide(
  decision: Decision,
  ids: readonly string[],
  { reason, with: other }: DecisionOptions,
  command: Command,
): Promise<void> {
  const { client, json } = connect(command);
  const options = {
    decision,
    ...(reason !== undefined && { reason }),
    ...(other !== undefined && { with: other }),
  };
  if (ids.length === 1) {
    const answer = await client.reviews.decide(ids[0]!, options);
    if (json) return printJson(answer);
    return console.log(`${answer.memory.id} is ${answer.memory.trust.state}`);
  }
  const answer = await client.reviews.decideAll({ ids: [...ids], ...options });
  if (json) printJson(answer);
  for (const { id, problem } of answer.items)
    if (problem) console.error(`${printable(id)}: ${problem.code}: ${problem.detail}`);
  const failed = answer.items.filter(({ problem }) => problem).length;
  if (!json) console.log(`decided: ${answer.items.length - failed}, refused: ${failed}`);
  if (failed > 0) process.exitCode = 1;
}

async function policy({ config }: { readonly config?: string }, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const answer =
    config === undefined
      ? await client.admin.trust.get()
      : await client.admin.trust.set(await policyIn(command, config));
  if (json) return printJson(answer);
  console.log(JSON.stringify(answer.policy, undefined, 2));
}

async function policyIn(command: Command, file: string): Promise<TrustPolicy> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as TrustPolicy;
  } catch (error) {
    return command.error(`error: --config: ${(error as Error).message}`);
  }
}
