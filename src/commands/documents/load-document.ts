import { isVisible, isWritable, visible } from '../../domain/access/visibility.ts';
import type { TenantContext } from '../../domain/access/context.ts';
import { foldDocument, type DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent, DocumentTextEvent } from '../../domain/documents/events.ts';
import { Problem } from '../../domain/problems.ts';
import { documentStream, documentTextStream, isMemoryId } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';

/** A document that the caller sees, with the position of its last event. */
export interface LoadedDocument {
  readonly state: DocumentState;
  readonly position: number;
}

/**
 * The document as the log has it, or had it at the position `upTo`. Throws the same `not-found` if it is unknown, erased or not visible.
 */
export async function loadDocument(
  { store }: { readonly store: EventStore },
  caller: TenantContext,
  documentId: string,
  upTo = Infinity,
): Promise<LoadedDocument> {
  if (!isMemoryId(documentId)) throw unknownDocument();
  const loaded = await store.load<DocumentEvent>(documentStream(caller.tenant, documentId));
  const known = loaded.filter(({ position }) => position <= upTo);
  const state = foldDocument(known);
  if (!state || state.status === 'erased' || !isVisible(visible(caller), state.place))
    throw unknownDocument();
  return { state, position: known.at(-1)!.position };
}

/** Throws `forbidden` if the caller may not write where the document is. */
export function assertWritableDocument(caller: TenantContext, { place }: DocumentState): void {
  if (isWritable(caller, place)) return;
  throw new Problem('forbidden', `this credential may not write documents of this ${place.layer}`);
}

/** The text of a revision of a document. Undefined if it was erased. */
export async function loadText(
  { store }: { readonly store: EventStore },
  tenant: string,
  { place: { documentId }, texts }: DocumentState,
  revision: number,
): Promise<string | undefined> {
  const text = texts.get(revision);
  if (!text) return undefined;
  const loaded = await store.load<DocumentTextEvent>(documentTextStream(tenant, documentId), text.from);
  const parts = loaded.filter(({ event }) => event.data.attempt === text.attempt).slice(0, text.parts);
  if (parts.length < text.parts || parts.some(({ erased }) => erased)) return undefined;
  return parts.map(({ event }) => event.data.text).join('');
}

/** The data keys of all texts that were read for a document, also of those that no revision names because their process was killed. */
export async function textKeyIds(
  { store }: { readonly store: EventStore },
  tenant: string,
  documentId: string,
): Promise<string[]> {
  const loaded = await store.load<DocumentTextEvent>(documentTextStream(tenant, documentId));
  return [...new Set(loaded.flatMap(({ metadata: { keyId } }) => keyId ?? []))];
}

export function unknownDocument(): Problem {
  return new Problem('not-found', 'no such document');
}
