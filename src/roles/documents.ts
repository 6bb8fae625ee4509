import { ChildReader } from '../adapters/documents/child-reader.ts';
import type { DocumentReader } from '../ports/document-reader.ts';
import { documentReactor } from '../reactors/document-reactor.ts';
import type { CommandSide } from './command-side.ts';
import { systemCommandContext, type Process } from './process.ts';
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
): void {
  startReactor(
    own,
    store,
    documentReactor(commands, systemCommandContext('documents')),
    'the sections of a document could not be stored and will be retried',
  );
}
