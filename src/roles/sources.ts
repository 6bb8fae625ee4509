import { AllowedFolders } from '../adapters/allowed-folders.ts';
import { SafeFetcher } from '../adapters/fetch/safe-fetcher.ts';
import { readSourceDocuments } from '../queries/documents/source-documents.ts';
import { SourceRunner } from '../reactors/source-runner.ts';
import { AllowedHosts } from '../support/net/allowed-hosts.ts';
import type { CommandSide } from './command-side.ts';
import { openContentRouting } from './content-routing.ts';
import { openDocumentReader } from './documents.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { readModelWaitMs as waitMs, startProcessor } from './start-processor.ts';

/** Reads sources on their schedules. */
export function startSources(own: Process, commandSide: CommandSide, readSide: ReadSide): void {
  const { fetchAllow, ingestRoots } = own.config.sources;
  const { router } = openContentRouting(own, commandSide, readSide);
  const parts = {
    services: commandSide.commands,
    leases: own.leases,
    reader: openDocumentReader(own),
    route: (...asked: Parameters<typeof router.route>) => router.route(...asked),
    fetcher: new SafeFetcher(new AllowedHosts(fetchAllow)),
    folders: new AllowedFolders(ingestRoots),
    reads: {
      documents: (tenant: string, prefix: string, minPosition: number) =>
        readSourceDocuments(readSide.models, tenant, prefix, { minPosition, waitMs }),
    },
  };
  startProcessor(own, new SourceRunner(parts, systemCommandContext('sources')));
}
