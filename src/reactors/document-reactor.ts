import { carryOutDocument } from '../commands/documents/carry-out-document.ts';
import { causedBy, type CommandContext, type CommandServices } from '../commands/context.ts';
import { foldDocument } from '../domain/documents/document.ts';
import type { DocumentEvent } from '../domain/documents/events.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';

/**
 * Brings the memories of documents to what their plans say, after a file was received, and after a document was deleted, restored or
 * processed again. The document records how far it is, so a process that is killed continues there.
 */
export function documentReactor(services: CommandServices, context: CommandContext): Reactor {
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
      for (const loaded of latest.values()) {
        signal.throwIfAborted();
        const own = causedBy(context, loaded);
        // It acts for whoever sent the document, wherever that could write.
        const caller = { ...own.caller, roles: ['admin'] as const };
        const state = foldDocument(await services.store.load<DocumentEvent>(loaded.stream));
        if (state) await carryOutDocument(services, { ...own, caller }, state, signal);
      }
    },
  };
}
