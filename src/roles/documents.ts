import { ChildReader } from '../adapters/documents/child-reader.ts';
import type { DocumentReader } from '../ports/document-reader.ts';
import { DuplicateFinder } from '../queries/duplicates/duplicate-finder.ts';
import { documentReactor } from '../reactors/document-reactor.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { ReadSide } from './read-side.ts';
import { startReactor } from './start-processor.ts';

/** Reads files in a process of its own, which starts with the first file. */
export function openDocumentReader({ cleanup }: Process): DocumentReader {
  const reader = new ChildReader();
  cleanup.add(() => reader.close());
  return reader;
}

/** Stores the sections of documents as memories. */
export function startDocuments(
  own: Process,
  { commands, store }: Pick<CommandSide, 'commands' | 'store'>,
  { models, retrieval, embedders }: Pick<ReadSide, 'models' | 'retrieval' | 'embedders'>,
): void {
  const duplicates = new DuplicateFinder(models, retrieval, embedders);
  startReactor(
    own,
    store,
    documentReactor(commands, systemCommandContext('documents'), (...asked) => duplicates.find(...asked)),
    'the sections of a document could not be stored and will be retried',
  );
}
