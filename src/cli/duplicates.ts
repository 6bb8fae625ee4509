import { Command, Option } from 'commander';
import type { DuplicateCluster, ResolveDuplicates } from '../../packages/client/src/index.ts';
import { resolutions } from '../domain/duplicates/events.ts';
import { connect } from './client.ts';
import { printable, printJson } from './output.ts';

interface ListOptions {
  readonly space?: string;
  readonly state: 'open' | 'resolved' | 'all';
  readonly memory?: string;
  readonly limit: string;
}

export function duplicatesCommand(): Command {
  const command = new Command('duplicates').description(
    'Show memories of a space that say the same, and decide which of them stay',
  );
  command
    .command('list')
    .description('List the clusters of memories that say the same')
    .option('--space <space>', 'only clusters of this space')
    .addOption(
      new Option('--state <state>', 'open: nobody has decided yet')
        .choices(['open', 'resolved', 'all'])
        .default('open'),
    )
    .option('--memory <id>', 'only clusters with this memory')
    .option('--limit <n>', 'maximum number of clusters', '50')
    .action(list);
  command
    .command('resolve')
    .description('Keep all, keep one, or take the last decision back (manual)')
    .argument('<cluster>')
    .addArgument(command.createArgument('<resolution>').choices(resolutions))
    .option('--representative <id>', 'the memory to keep; default: that of the cluster')
    .action(resolve);
  return command;
}

async function list({ space, state, memory, limit }: ListOptions, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const page = await client.duplicates.list({
    limit: Number(limit),
    ...(space !== undefined && { space }),
    ...(memory !== undefined && { memory }),
    ...(state !== 'all' && { state }),
  });
  if (json) return printJson(page);
  if (page.items.length === 0) return console.log('no clusters of duplicates');
  for (const cluster of page.items) console.log(textOf(cluster));
  if (page.nextCursor !== undefined) console.log(`more than ${page.items.length}: use --limit`);
}

async function resolve(
  id: string,
  resolution: ResolveDuplicates['resolution'],
  { representative }: { readonly representative?: string },
  command: Command,
): Promise<void> {
  const { client, json } = connect(command);
  const answer = await client.duplicates.resolve(id, {
    resolution,
    ...(representative !== undefined && { representative }),
  });
  if (json) return printJson(answer);
  console.log(textOf(answer.cluster));
}

function textOf({ id, space, representative, members, resolution }: DuplicateCluster): string {
  const lines = members.map(
    (member) =>
      `  ${member.id}  ${member.similarity.toFixed(3)}${member.id === representative ? '  representative' : ''}`,
  );
  const decided = resolution === 'manual' ? 'open' : resolution;
  return [`${id}  ${printable(space)}  ${decided}`, ...lines].join('\n');
}
