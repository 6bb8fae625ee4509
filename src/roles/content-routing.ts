import { o200k } from '../adapters/tokenizer/o200k.ts';
import { readRoutingSettings } from '../commands/configure-routing.ts';
import { ContentRouter } from '../queries/content-routing/content-router.ts';
import { ContentRoutingDirectory } from '../queries/content-routing/content-routing-directory.ts';
import { hasMemoriesInSpaces } from '../queries/spaces.ts';
import { SpaceChooser } from '../reactors/space-chooser.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { openWritingModel } from './writing-model.ts';

/** The sender of a document waits for the choice. */
const choiceMs = 15_000;

/** What chooses the spaces of documents that name none, with the rules that it goes by. */
export interface ContentRouting {
  readonly directory: ContentRoutingDirectory;
  readonly router: ContentRouter;
}

export function openContentRouting(
  own: Process,
  { store, commands, ledger }: Pick<CommandSide, 'store' | 'commands' | 'ledger'>,
  { retrieval, models }: Pick<ReadSide, 'retrieval' | 'models'>,
): ContentRouting {
  const { spaces } = commands;
  const directory = new ContentRoutingDirectory(store, spaces);
  const parts = openWritingModel(own, { ledger, spaces }, 'choices of spaces');
  const model =
    parts &&
    new SpaceChooser({
      ...parts,
      timeoutMs: Math.min(parts.timeoutMs, choiceMs),
      tokenizer: o200k,
      context: systemCommandContext('content-routing'),
      isAllowed: async (tenant) => (await readRoutingSettings(store, tenant)).languageModel,
    });
  const router = new ContentRouter({
    directory,
    spaces,
    search: retrieval,
    hasMemoriesInSpaces: (tenant) => hasMemoriesInSpaces(models, tenant),
    model,
  });
  return { directory, router };
}
