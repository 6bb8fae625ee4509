import { o200k } from '../adapters/tokenizer/o200k.ts';
import { readRoutingSettings } from '../commands/configure-routing.ts';
import type { Reactor } from '../follow/reactor.ts';
import { ConflictFinder } from '../queries/conflicts.ts';
import { factGenerations } from '../reactors/fact-generations.ts';
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
  const parts = { services, finder: new ConflictFinder(models, retrieval), writer, isAllowed };
  const context = systemCommandContext('facts');
  const start = (reactor: Reactor) =>
    startReactor(own, store, reactor, 'the facts of a conversation could not be drawn and will be retried');
  start(factReactor(parts, context));
  start(factGenerations(parts, context));
}
