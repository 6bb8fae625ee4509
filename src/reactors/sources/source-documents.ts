import { hash } from 'node:crypto';
import { claimHolder } from '../../commands/claims.ts';
import type { CommandContext, CommandServices } from '../../commands/context.ts';
import { deleteDocument } from '../../commands/documents/change-document.ts';
import type { RouteContent } from '../../commands/documents/file-to-receive.ts';
import { documentClaim, receiveDocument } from '../../commands/documents/receive-document.ts';
import { foldDocument, type DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent } from '../../domain/documents/events.ts';
import { Problem } from '../../domain/problems.ts';
import { externalIdOf, type Source } from '../../domain/sources/sources.ts';
import { documentStream } from '../../domain/streams.ts';
import type { DocumentReader } from '../../ports/document-reader.ts';

/** A document of a source, as the read model knows it. */
export interface KnownDocument {
  readonly documentId: string;
  readonly externalId: string;
  readonly sha256: string;
  /** No file of it could be read. */
  readonly isFailed: boolean;
}

/** Reads of the documents of sources. They wait until the read model has applied the log up to `minPosition`. */
export interface SourceReads {
  /** The documents whose externalId begins with `prefix`, without those that are deleted. */
  documents(tenant: string, prefix: string, minPosition: number): Promise<readonly KnownDocument[]>;
}

export interface SourceParts {
  readonly services: CommandServices;
  readonly reader: DocumentReader;
  readonly route: RouteContent;
  readonly reads: SourceReads;
}

/** What was listed, with its bytes. */
export interface ReceivedItem {
  readonly externalId: string;
  readonly bytes: Uint8Array;
  readonly mediaType?: string | undefined;
  readonly filename?: string | undefined;
  readonly sourceUri?: string | undefined;
  readonly movedFrom?: string | undefined;
}

/** A document as the log has it. */
export interface CurrentDocument {
  readonly state: DocumentState;
  /** When its last file was received. */
  readonly receivedAt: Date;
  /** Somebody deleted it, and not the source, for lack of it. */
  readonly isUnwanted: boolean;
}

export type ItemOutcome =
  | { readonly became: 'new' | 'changed' | 'unchanged'; readonly state: DocumentState }
  | { readonly became: 'failed'; readonly detail: string };

/** The documents of one source, which a run stores, compares and deletes. */
export class SourceDocuments {
  readonly #parts: SourceParts;
  readonly #context: CommandContext;
  readonly #source: Source;
  /** Somebody asked for the run. */
  readonly #isAsked: boolean;

  constructor(
    parts: SourceParts,
    context: CommandContext,
    { source, isAsked }: { readonly source: Source; readonly isAsked: boolean },
  ) {
    this.#parts = parts;
    this.#context = context;
    this.#source = source;
    this.#isAsked = isAsked;
  }

  /** The externalId of what the source lists under this name; without one, that of the whole source. */
  idOf(name?: string): string {
    return externalIdOf(this.#source.id, name, (long) => hash('sha256', long, 'hex'));
  }

  /** The document with this externalId; undefined if there is none, or it was erased. */
  async current(externalId: string): Promise<CurrentDocument | undefined> {
    const { services } = this.#parts;
    const { tenant } = this.#context.caller;
    const id = await claimHolder(services, documentClaim(services, tenant, this.#source, externalId));
    if (id === undefined) return undefined;
    const loaded = await services.store.load<DocumentEvent>(documentStream(tenant, id));
    const state = foldDocument(loaded);
    if (!state || state.status === 'erased') return undefined;
    const received = loaded.findLast(
      ({ event: { type } }) => type === 'DocumentReceived' || type === 'DocumentRefused',
    )!;
    const deleted = loaded.findLast(({ event: { type } }) => type === 'DocumentDeleted');
    const isUnwanted = state.status === 'deleted' && deleted?.metadata.cause !== 'system';
    return { state, receivedAt: received.time, isUnwanted };
  }

  /** Stores an item as the next revision of its document. What somebody deleted stays deleted, and a file that failed is not tried again. */
  async receive(item: ReceivedItem, signal: AbortSignal, reader = this.#parts.reader): Promise<ItemOutcome> {
    const { services } = this.#parts;
    const route: RouteContent = (caller, content, aborted) =>
      this.#parts.route(caller, { ...content, isUnasked: !this.#isAsked }, aborted);
    const { type, layer, scope, spaces, tags, createdBy, id } = this.#source;
    const before = await this.current(item.externalId);
    if (before?.isUnwanted) return { became: 'unchanged', state: before.state };
    if (before?.state.problem?.sha256 === hash('sha256', item.bytes, 'hex'))
      return { became: 'failed', detail: before.state.problem.detail };
    try {
      const { state, isNew } = await receiveDocument(
        { services, reader, route, trustSource: type === 'directory' ? 'document' : 'web', signal },
        this.#context,
        {
          ...item,
          source: id,
          layer,
          scope,
          spaces: [...spaces],
          tags: [...tags],
          metadata: {},
          createdBy,
          mayReplace: true,
        },
      );
      if (state.problem) return { became: 'failed', detail: state.problem.detail };
      if (isNew) return { became: 'new', state };
      return { became: state.revision === before?.state.revision ? 'unchanged' : 'changed', state };
    } catch (error) {
      // What says nothing about the file, such as a database that is down, ends the run.
      if (!(error instanceof Problem) || error.status >= 500) throw error;
      return { became: 'failed', detail: error.message };
    }
  }

  /** The documents of the source that are not deleted. */
  known(minPosition: number): Promise<readonly KnownDocument[]> {
    return this.#parts.reads.documents(this.#context.caller.tenant, `${this.idOf()}/`, minPosition);
  }

  /** Deletes documents softly that the source no longer has. The read model may be behind: what has another name by now stays. */
  async remove(gone: readonly KnownDocument[], signal: AbortSignal): Promise<number> {
    let removed = 0;
    for (const { documentId, externalId } of gone) {
      signal.throwIfAborted();
      const current = await this.current(externalId);
      if (current?.state.place.documentId !== documentId || current.state.status === 'deleted') continue;
      await deleteDocument(this.#parts.services, this.#context, documentId);
      removed++;
    }
    return removed;
  }
}
