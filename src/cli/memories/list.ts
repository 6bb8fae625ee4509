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
      new Option('--state <state>', 'only those in this state (default: active)').choices([
        'active',
        'deleted',
        'archived',
      ]),
    )
    .option('--created-after <time>', 'only those created after this RFC 3339 time')
    .option('--created-before <time>', 'only those created before this RFC 3339 time')
    .option('--filter <json>', 'filter in the JSON of the API', jsonValue)
    .option('--as-of <when>', 'the memories as they were at a position or an RFC 3339 time with an offset')
    .addOption(new Option('--order <order>', 'by creation (default: newest)').choices(['newest', 'oldest']))
    .option('--limit <n>', 'how many', wholeNumber, 50)
    .option('--cursor <cursor>', 'continue after an earlier page')
    .action(async (options: ListMemoriesQuery, own: Command) => {
      const { client, json } = connect(own);
      if (options.asOf !== undefined) await assertPositionOrTime(own, '--as-of <when>', options.asOf);
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
