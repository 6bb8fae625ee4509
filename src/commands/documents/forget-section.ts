import { foldDocument, type DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent } from '../../domain/documents/events.ts';
import { documentStream } from '../../domain/streams.ts';
import { WrongExpectedRevision } from '../../ports/event-log.ts';
import { eventContext, type CommandContext, type CommandServices } from '../context.ts';
import { textKeyIds } from './load-document.ts';
import { plannedEvents } from './planned-events.ts';

/**
 * After the memory of a section was erased: erases the text of its document, by destroying the keys of all its revisions. What the document
 * says about its other sections is recorded again under a new key. Does nothing if the document does not know the memory. Repeatable.
 */
export async function forgetSection(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
  memoryId: string,
): Promise<void> {
  const { store, vault, newId } = services;
  const { tenant } = context.caller;
  const stream = documentStream(tenant, documentId);
  for (;;) {
    const state = foldDocument(await store.load<DocumentEvent>(stream));
    if (!state?.good || state.status === 'erased') return;
    if (!state.sections.has(memoryId) && !state.removed.has(memoryId)) return;
    const keyIds = [...new Set([...state.keyIds, ...(await textKeyIds(services, tenant, documentId))])];
    const subject = vault.pseudonym('subject', tenant, state.place.scope.user ?? tenant);
    const key = { tenant, id: `document.${newId()}`, subject };
    const { idempotency: _, ...own } = context;
    try {
      await store.append(stream, state.streamRevision, eventsWithout(state, memoryId, keyIds), {
        ...eventContext(own, key),
        keyIsNew: true,
      });
    } catch (error) {
      if (error instanceof WrongExpectedRevision) continue;
      throw error;
    }
    await vault.destroy(tenant, ...keyIds);
    return;
  }
}

function eventsWithout(state: DocumentState, memoryId: string, keyIds: string[]): DocumentEvent[] {
  const { documentId } = state.place;
  const { filename, externalId, sourceUri, title, source, sha256, hasOwnTitle, tags, fileTags, metadata } =
    state.good!;
  const sections = [...state.sections.values()].filter((section) => section.memoryId !== memoryId);
  return [
    {
      type: 'DocumentTextErased',
      data: {
        documentId,
        memoryId,
        keyIds,
        ...(filename !== undefined && { filename }),
        ...(externalId !== undefined && { externalId }),
        ...(sourceUri !== undefined && { sourceUri }),
        ...(title !== undefined && { title }),
        ...(source !== undefined && { source }),
        sha256,
        hasOwnTitle,
        tags,
        ...(fileTags && { fileTags }),
        metadata,
      },
    },
    ...plannedEvents(
      documentId,
      state.revision,
      sections.map((section) => ({ ...section, action: 'keep' })),
    ),
  ];
}
