import { ConflictFinder } from '../queries/conflicts.ts';
import { conflictReactor } from '../reactors/conflict-reactor.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { startReactor } from './start-processor.ts';

/** Links new memories to those that they contradict. */
export function startConflicts(
  own: Process,
  { commands, store }: Pick<CommandSide, 'commands' | 'store'>,
  { models, retrieval }: Pick<ReadSide, 'models' | 'retrieval'>,
): void {
  const finder = new ConflictFinder(models, retrieval);
  startReactor(
    own,
    store,
    conflictReactor({ services: commands, finder }, systemCommandContext('conflicts')),
    'the conflicts of a memory could not be looked for and will be retried',
  );
}
