import { Command, Option } from 'commander';
import type { Stratalog } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { reasonOption } from './memories/options.ts';
import { printJson } from './output.ts';

type Erasure = Awaited<ReturnType<Stratalog['admin']['erasures']['get']>>;

interface EraseOptions {
  readonly reason: string;
  readonly immediately?: boolean;
  readonly wait?: boolean;
}

const pollMs = 500;

export const immediatelyOption = (): Option =>
  new Option(
    '--immediately',
    'rewrite the files of the database at once, so that they have no byte left; searches wait meanwhile',
  );

export function eraseCommand(): Command {
  return new Command('erase')
    .description(
      'Erase everything about a person: memories, questions, sessions, attempts, lessons and summaries; needs the role admin',
    )
    .argument('<subject>', 'the person: the user of memories, or their subject')
    .addOption(reasonOption().makeOptionMandatory())
    .addOption(immediatelyOption())
    .option('--wait', 'wait until the erasure is complete, and print its receipt')
    .action(async (subject: string, { reason, immediately, wait }: EraseOptions, command: Command) => {
      const { client, json } = connect(command);
      const files = immediately ? 'immediately' : 'scheduled';
      const { receipt, position } = await client.admin.erasures.eraseSubject(subject, { reason, files });
      if (!wait) {
        if (json) return printJson({ receipt, position });
        return console.log(
          `Nothing about ${subject} can be read any more. Receipt: stratalog erasures get ${receipt}`,
        );
      }
      const erasure = await completed(client, receipt);
      if (json) return printJson(erasure);
      console.log(inWords(erasure));
    });
}

export function erasuresCommand(): Command {
  const command = new Command('erasures').description('Show the receipts of erasures');
  command
    .command('get')
    .description(
      'Print the receipt of an erasure; with --json, in the form that audit verify-receipt verifies',
    )
    .argument('<receipt>', 'its id; that of a memory for the erasure of a memory')
    .option('--wait', 'wait until the erasure is complete')
    .action(async (id: string, { wait }: { wait?: boolean }, command: Command) => {
      const { client, json } = connect(command);
      const erasure = wait ? await completed(client, id) : await client.admin.erasures.get(id);
      if (json) return printJson(erasure);
      console.log(inWords(erasure));
    });
  return command;
}

async function completed(client: Stratalog, id: string): Promise<Erasure> {
  for (;;) {
    const erasure = await client.admin.erasures.get(id);
    if (erasure.state === 'complete') return erasure;
    await new Promise((resolve) => setTimeout(resolve, pollMs));
  }
}

function inWords({
  id,
  state,
  target,
  requestedAt,
  completedAt,
  surfaces,
  outOfReach,
  proof,
}: Erasure): string {
  const what = target.memoryId ?? target.tenant ?? `subject ${target.subject}`;
  const held = surfaces.filter(({ count }) => count > 0);
  return [
    `${id}: ${target.kind === 'subject' ? what : `${target.kind} ${what}`}, ${state}`,
    `requested ${requestedAt}${completedAt === undefined ? '' : `, complete ${completedAt}`}`,
    ...held.map(
      ({ name, count, state: now, note }) =>
        `  ${name.padEnd(30)} ${String(count).padStart(8)}  ${now}${note === undefined ? '' : ` (${note})`}`,
    ),
    `nothing was held in ${surfaces.length - held.length} other places`,
    'out of reach:',
    ...outOfReach.map(({ what: copy, why }) => `  ${copy}: ${why}`),
    ...(state === 'complete' && proof === undefined
      ? ['The proof follows with the next signed head of the log.']
      : []),
  ].join('\n');
}
