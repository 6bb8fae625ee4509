import { citationReactor } from '../reactors/citation-reactor.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import { startReactor } from './start-processor.ts';

/** Links memories to those that their texts refer to. */
export function startCitations(
  own: Process,
  { commands, store }: Pick<CommandSide, 'commands' | 'store'>,
): void {
  startReactor(
    own,
    store,
    citationReactor(commands, systemCommandContext('citations')),
    'the citations of a memory could not be linked and will be retried',
  );
}
