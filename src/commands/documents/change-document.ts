import { hasRole } from '../../domain/access/context.ts';
import { foldDocument, type DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent, SkipReason } from '../../domain/documents/events.ts';
import type { FilesWhen } from '../../domain/erasure/events.ts';
import { Problem } from '../../domain/problems.ts';
import { documentStream, isMemoryId } from '../../domain/streams.ts';
import { isVisible, visible } from '../../domain/access/visibility.ts';
import type { StreamName } from '../../ports/event-log.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { changeStream } from '../change-stream.ts';
import { releaseClaim } from '../claims.ts';
import type { CommandContext, CommandResult, CommandServices } from '../context.ts';
import { retentionUntil } from '../delete-memory.ts';
import { recordErasure } from '../erasure/request-erasure.ts';
import { assertWritableDocument, textKeyIds, unknownDocument } from './load-document.ts';

export interface ChangedDocument extends CommandResult {
  readonly state: DocumentState;
}

/** Deletes a document softly, and with it the memories of its sections. */
export function deleteDocument(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
): Promise<ChangedDocument> {
  const until = retentionUntil(services.clock.now());
  return change(services, context, documentId, ({ status }) =>
    status === 'deleted'
      ? []
      : [{ type: 'DocumentDeleted', data: { documentId, retentionUntil: until.toISOString() } }],
  );
}

/** Undoes a soft deletion. */
export function restoreDocument(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
): Promise<ChangedDocument> {
  return change(services, context, documentId, ({ status, retentionUntil: until = '' }) => {
    if (status !== 'deleted') return [];
    if (services.clock.now().toISOString() > until)
      throw new Problem('retention-over', `the document could be restored until ${until}`);
    return [{ type: 'DocumentRestored', data: { documentId } }];
  });
}

/** Decides about every section anew, by the rules that its spaces have now. Nothing is skipped for one of the accepted reasons. */
export function reprocessDocument(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
  accept: readonly SkipReason[],
): Promise<ChangedDocument> {
  return change(services, context, documentId, ({ status, revision }) => {
    if (status === 'deleted')
      throw new Problem('memory-deleted', 'a deleted document cannot be processed: restore it first');
    return [{ type: 'DocumentReprocessed', data: { documentId, revision, accept: [...accept] } }];
  });
}

async function change(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
  decide: (state: DocumentState) => DocumentEvent[],
): Promise<ChangedDocument> {
  if (!isMemoryId(documentId)) throw unknownDocument();
  const changed = await changeStream<DocumentEvent>(services, context, {
    stream: documentStream(context.caller.tenant, documentId),
    memoryId: '',
    authorize: (loaded) => assertWritableDocument(context.caller, seen(context, loaded)),
    decide: (loaded) => decide(seen(context, loaded)),
  });
  return { state: foldDocument(changed.history)!, position: changed.position, replayed: changed.replayed };
}

function seen({ caller }: CommandContext, loaded: readonly LoadedEvent<DocumentEvent>[]): DocumentState {
  const state = foldDocument(loaded);
  if (!state || state.status === 'erased' || !isVisible(visible(caller), state.place))
    throw unknownDocument();
  return state;
}

export interface ErasedDocument extends CommandResult {
  readonly documentId: string;
  readonly erasedAt: Date;
}

/**
 * Erases a document permanently: destroys the keys of its texts, releases its externalId, and begins the erasure of the memories of its
 * sections, whose receipt is named like the document. If the process stops in between, the reactor of documents does the rest.
 */
export async function eraseDocument(
  services: CommandServices,
  context: CommandContext,
  documentId: string,
  files: FilesWhen = 'scheduled',
): Promise<ErasedDocument> {
  if (!hasRole(context.caller, 'admin')) throw new Problem('forbidden', 'erasing needs the role admin');
  if (!isMemoryId(documentId)) throw unknownDocument();
  const changed = await changeStream<DocumentEvent>(services, context, {
    stream: documentStream(context.caller.tenant, documentId),
    memoryId: '',
    decide: async (loaded) => {
      const state = foldDocument(loaded);
      if (!state) throw unknownDocument();
      if (state.status === 'erased') return [];
      return [erasureOf(state, await textKeyIds(services, context.caller.tenant, documentId))];
    },
  });
  await finishErasure(services, context, changed.history, files);
  const last = changed.history.findLast(({ event }) => event.type === 'DocumentErased')!;
  return { documentId, erasedAt: last.time, position: changed.position, replayed: changed.replayed };
}

/** The event of the erasure of a document, which may have lost its keys already. */
export function erasureOf(
  { place, keyIds, sections, removed }: DocumentState,
  ofTexts: readonly string[] = [],
): DocumentEvent {
  const { documentId, claim } = place;
  return {
    type: 'DocumentErased',
    data: {
      documentId,
      keyIds: [...new Set([...keyIds, ...ofTexts])],
      memoryIds: [...sections.keys(), ...removed.keys()],
      ...(claim !== undefined && { claim }),
    },
  };
}

/** Begins the receipt, destroys the keys and releases the externalId of a document that is erased. Idempotent. */
export async function finishErasure(
  services: CommandServices,
  context: CommandContext,
  history: readonly Pick<LoadedEvent<DocumentEvent>, 'event'>[],
  files: FilesWhen = 'scheduled',
): Promise<void> {
  const erased = history.findLast(({ event }) => event.type === 'DocumentErased')?.event;
  if (erased?.type !== 'DocumentErased') return;
  const { documentId, keyIds, claim } = erased.data;
  const { tenant } = context.caller;
  // What the program erases by itself is part of the receipt that it is for.
  if (context.cause !== 'system')
    await recordErasure(services, context, { kind: 'document', documentId }, { files });
  await services.vault.destroy(tenant, ...keyIds);
  if (claim !== undefined) await releaseClaim(services, context, claim as StreamName, documentId);
}
