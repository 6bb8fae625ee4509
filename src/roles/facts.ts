import { o200k } from '../adapters/tokenizer/o200k.ts';
import { readRoutingSettings } from '../commands/configure-routing.ts';
import { ConflictFinder } from '../queries/conflicts.ts';
import { factReactor } from '../reactors/fact-reactor.ts';
import { FactWriter } from '../reactors/fact-writer.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { startReactor } from './start-processor.ts';
import { openWritingModel } from './writing-model.ts';

/** Draws facts from conversations, if a language model is configured. */
export function startFacts(
  own: Process,
  { commands: services, store, ledger }: Pick<CommandSide, 'commands' | 'store' | 'ledger'>,
  { models, retrieval }: Pick<ReadSide, 'models' | 'retrieval'>,
): void {
  const model = openWritingModel(own, { ledger, spaces: services.spaces }, 'facts');
  if (!model) return;
  const writer = new FactWriter({ ...model, tokenizer: o200k, newId: services.newId });
  const isAllowed = async (tenant: string) => (await readRoutingSettings(store, tenant)).languageModel;
  startReactor(
    own,
    store,
    factReactor(
      { services, finder: new ConflictFinder(models, retrieval), writer, isAllowed },
      systemCommandContext('facts'),
    ),
    'the facts of a conversation could not be drawn and will be retried',
  );
}
