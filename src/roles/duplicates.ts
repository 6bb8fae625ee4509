import { DuplicateFinder } from '../queries/duplicates/duplicate-finder.ts';
import { duplicateReactor } from '../reactors/duplicate-reactor.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs as waitMs, startReactor } from './start-processor.ts';

/** Collects memories that say the same, where a space asks for it. */
export function startDuplicates(
  own: Process,
  { commands, store }: Pick<CommandSide, 'commands' | 'store'>,
  { models, retrieval, embedders }: Pick<ReadSide, 'models' | 'retrieval' | 'embedders'>,
): void {
  const finder = new DuplicateFinder(models, retrieval, embedders);
  startReactor(
    own,
    store,
    duplicateReactor({ services: commands, finder, waitMs }, systemCommandContext('duplicates')),
    'the duplicates of a memory could not be looked for and will be retried',
  );
}
