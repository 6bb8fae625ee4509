import { Command, Option } from 'commander';
import type { ListMemoriesQuery } from '../../../packages/client/src/index.ts';
import { connect } from '../client.ts';
import { jsonValue, wholeNumber } from '../option-values.ts';
import { printJson } from '../output.ts';
import { assertPositionOrTime } from '../positions.ts';
import { memoryLine } from './show.ts';

export function listCommand(): Command {
  return new Command('list')
    .description('List the memories that the key may see, newest first')
    .option('--layer <layer...>', 'only these layers (repeatable)')
    .option('--space <space...>', 'only these spaces (repeatable)')
    .option('--tag <tag...>', 'only these tags (repeatable)')
    .option('--external-id <id>', 'only the memory with this external id')
    .addOption(
      new Option('--state <state>', 'only memories in this state (default: active)').choices([
        'active',
        'deleted',
        'archived',
      ]),
    )
    .option('--created-after <time>', 'only memories created after this RFC 3339 time')
    .option('--created-before <time>', 'only memories created before this RFC 3339 time')
    .option('--filter <json>', 'filter as JSON, as in the API', jsonValue)
    .option(
      '--as-of <when>',
      'list the memories as they were at a position or an RFC 3339 time with an offset',
    )
    .addOption(
      new Option('--order <order>', 'order by creation time (default: newest)').choices(['newest', 'oldest']),
    )
    .option('--limit <n>', 'maximum number of memories', wholeNumber, 50)
    .option('--cursor <cursor>', 'cursor of an earlier page, to continue after it')
    .action(async (options: ListMemoriesQuery, command: Command) => {
      const { client, json } = connect(command);
      if (options.asOf !== undefined) await assertPositionOrTime(command, '--as-of <when>', options.asOf);
      const { layer, space, tag, externalId, state, createdAfter, createdBefore, filter, asOf } = options;
      const { order, limit, cursor } = options;
      const filters = { layer, space, tag, externalId, state, createdAfter, createdBefore, filter, asOf };
      const page = await client.memories.list({ ...filters, order, limit, cursor });
      if (json) return printJson(page);
      for (const memory of page.items) console.log(memoryLine(memory));
      if (page.items.length === 0) console.error('No memories.');
      if (page.nextCursor !== undefined) console.error(`There are more: --cursor ${page.nextCursor}`);
    });
}
