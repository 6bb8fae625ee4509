import { carryOutDocument } from '../commands/documents/carry-out-document.ts';
import type { FindSame } from '../commands/documents/said-already.ts';
import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { foldDocument } from '../domain/documents/document.ts';
import type { DocumentEvent } from '../domain/documents/events.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';

/** Documents whose appends wait for the log together. */
const documentsAtOnce = 16;

/**
 * Brings the memories of documents to what their plans say, after a file was received, and after a document was deleted, restored or
 * processed again. The document records how far it is, so a process that is killed continues there.
 */
export function documentReactor(
  services: CommandServices,
  context: CommandContext,
  findSame: FindSame,
): Reactor {
  return {
    name: 'document-sections',
    handles: [
      'DocumentReceived',
      'DocumentReprocessed',
      'DocumentDeleted',
      'DocumentRestored',
      'DocumentErased',
    ],
    routingOnly: true,
    async handle(events, { signal }) {
      const latest = new Map<string, LoadedEvent>();
      for (const loaded of events) latest.set(loaded.stream, loaded);
      const documents = [...latest.values()];
      for (let from = 0; from < documents.length; from += documentsAtOnce) {
        signal.throwIfAborted();
        const some = documents.slice(from, from + documentsAtOnce);
        // All have ended before one of them fails the others.
        const done = await Promise.allSettled(
          some.map((loaded) => carryOut(services, context, loaded, { findSame, signal })),
        );
        const failed = done.find((each) => each.status === 'rejected');
        if (failed) throw failed.reason;
      }
    },
  };
}

async function carryOut(
  services: CommandServices,
  context: CommandContext,
  loaded: LoadedEvent,
  how: Parameters<typeof carryOutDocument>[3],
): Promise<void> {
  const own = causedBy(context, loaded);
  // It acts for whoever sent the document, wherever that could write.
  const caller = { ...own.caller, roles: ['admin'] as const };
  const state = foldDocument(await services.store.load<DocumentEvent>(loaded.stream));
  if (state) await carryOutDocument(services, { ...own, caller }, state, how);
}
