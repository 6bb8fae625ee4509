import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { partOf } from '../../domain/access/counted-parts.ts';
import { isVisible, visible, type Placement } from '../../domain/access/visibility.ts';
import type { DocumentContent } from '../../domain/documents/content.ts';
import { foldDocument, type DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent } from '../../domain/documents/events.ts';
import { canonicalJson } from '../../domain/json.ts';
import { Problem } from '../../domain/problems.ts';
import { documentStream } from '../../domain/streams.ts';
import { WrongExpectedRevision, type StreamName } from '../../ports/event-log.ts';
import { withoutTurn } from '../../support/request-scope.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { claimHolder, claimStreamOf, releaseClaim, takeClaim } from '../claims.ts';
import { CommandRecord } from '../command-record.ts';
import type { CommandContext, CommandResult, CommandServices } from '../context.ts';
import { assertKnownSpaces } from '../entry/check-spaces.ts';
import { writablePlacement } from '../placement.ts';
import type { FileToReceive, ReceiveParts } from './file-to-receive.ts';
import { RevisionRecorder } from './record-revision.ts';

export interface DocumentResult extends CommandResult {
  readonly state: DocumentState;
  readonly isNew: boolean;
}

/** Races that a command may lose before its caller is told to retry. */
const maxAttempts = 20;
/** Length of an externalId, in UTF-16 units. */
const maxExternalId = 512;

/**
 * Reads a file and records it as a new document, or as the next revision of the one with its externalId. The same file with the same fields
 * changes nothing. A file that cannot be read is recorded as that: nothing of it is stored, and the last good revision stays. The memories
 * of its sections are brought up to date by the reactor of documents.
 */
export async function receiveDocument(
  parts: ReceiveParts,
  context: CommandContext,
  file: FileToReceive,
): Promise<DocumentResult> {
  const placement = writablePlacement(context.caller, file, 'documents');
  assertKnownSpaces(await parts.services.spaces.of(context.caller.tenant), file.spaces);
  const reception = new Reception(parts, context, file, placement);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const result = await reception.attempt();
    if (result) return result;
    await sleep(Math.random() * 5 * attempt);
  }
  throw new Problem('unavailable', 'too many writers race for this document', { retryAfter: 1 });
}

class Reception {
  readonly #parts: ReceiveParts;
  readonly #context: CommandContext;
  readonly #file: FileToReceive;
  readonly #placement: Placement;
  readonly #sha256: string;
  readonly #claim: StreamName | undefined;
  /** The claim of the externalId that the document had. */
  readonly #movedFrom: StreamName | undefined;
  readonly #recorder: RevisionRecorder;
  #read: Promise<DocumentContent | Problem> | undefined;

  constructor(parts: ReceiveParts, context: CommandContext, file: FileToReceive, placement: Placement) {
    this.#parts = parts;
    this.#context = context;
    this.#file = file;
    this.#placement = placement;
    this.#sha256 = hash('sha256', file.bytes, 'hex');
    const claimOf = (externalId: string | undefined) =>
      externalId === undefined
        ? undefined
        : documentClaim(parts.services, context.caller.tenant, placement, externalId);
    this.#claim = claimOf(file.externalId);
    this.#movedFrom = claimOf(file.movedFrom);
    const received = { file, sha256: this.#sha256, placement, claim: this.#claim };
    this.#recorder = new RevisionRecorder(parts, context, received);
  }

  /** Undefined if another writer was faster: try again. */
  async attempt(): Promise<DocumentResult | undefined> {
    const { services } = this.#parts;
    const { tenant } = this.#context.caller;
    const fresh = services.newId();
    const record = CommandRecord.of(services, this.#context);
    const own =
      record && !this.#claim ? await takeClaim(services, this.#context, record.stream, fresh) : fresh;
    const moved = this.#movedFrom && (await claimHolder(services, this.#movedFrom));
    const id = this.#claim ? await takeClaim(services, this.#context, this.#claim, moved ?? own) : own;
    const loaded = await services.store.load<DocumentEvent>(documentStream(tenant, id));
    const state = foldDocument(loaded);
    const answered = record ? record.lastEventIn(loaded) : -1;
    if (state && answered >= 0) {
      const until = loaded.slice(0, answered + 1);
      return { state: foldDocument(until)!, position: until.at(-1)!.position, replayed: true, isNew: false };
    }
    if (state?.status === 'erased') {
      await releaseClaim(services, this.#context, this.#claim ?? record!.stream, id);
      return undefined;
    }
    if (state) this.#assertReplaceable(state);
    if (state && this.#isUnchanged(state))
      return { state, position: loaded.at(-1)!.position, replayed: false, isNew: false };
    const appended = await this.#append(id, loaded);
    if (appended && this.#movedFrom && moved === id)
      await releaseClaim(services, this.#context, this.#movedFrom, id);
    return appended;
  }

  #assertReplaceable(state: DocumentState): void {
    const isSeen = isVisible(visible(this.#context.caller), state.place);
    if (!isSeen || !this.#file.mayReplace)
      throw new Problem('external-id-taken', 'another document has this externalId', {
        errors: [{ path: 'externalId', message: 'is taken' }],
        ...(isSeen && { extra: { documentId: state.place.documentId } }),
      });
    const { layer, scope } = state.place;
    if (canonicalJson({ layer, scope }) === canonicalJson({ ...this.#placement })) return;
    throw new Problem(
      'validation-failed',
      `the document is of the layer ${layer} and its scope: both are immutable`,
      {
        errors: [{ path: 'layer', message: `is immutable: the document is of the layer ${layer}` }],
      },
    );
  }

  /** The same bytes with the same fields as the last file. */
  #isUnchanged({ status, problem, good }: DocumentState): boolean {
    if (status !== 'stored' || problem || good?.sha256 !== this.#sha256) return false;
    const { title, contentType, source, sourceUri, tags, metadata, spaces: named, occurredAt } = this.#file;
    const spaces = named.length === 0 && good.routed ? good.spaces : named;
    const { filename, externalId } = this.#file;
    const same = (said: unknown, known: unknown) => said === undefined || said === known;
    return (
      same(title, good.title) &&
      same(contentType, good.contentType) &&
      same(source, good.source) &&
      same(sourceUri, good.sourceUri) &&
      same(occurredAt, good.occurredAt) &&
      same(filename, good.filename) &&
      same(externalId, good.externalId) &&
      canonicalJson([tags, metadata, spaces]) === canonicalJson([good.tags, good.metadata, good.spaces])
    );
  }

  async #append(
    id: string,
    loaded: readonly LoadedEvent<DocumentEvent>[],
  ): Promise<DocumentResult | undefined> {
    const before = foldDocument(loaded);
    this.#read ??= readFile(this.#parts, this.#file, this.#context.caller.tenant);
    const read = await this.#read;
    if (!(read instanceof Problem)) await this.#receiveAttachments(id, read);
    try {
      const { facts, position } = await this.#recorder.record(id, before, read);
      const state = foldDocument([...loaded, ...facts])!;
      return { state, position, replayed: false, isNew: before === undefined };
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return undefined;
      throw error;
    }
  }

  /**
   * Attached files become documents of their own, before the mail is recorded: it is sent again if the process stops in between. Pictures
   * have no text, and most belong to a signature. What is attached to an attachment is left out.
   */
  async #receiveAttachments(parent: string, { attachments = [] }: DocumentContent): Promise<void> {
    if (this.#file.parent !== undefined) return;
    const { idempotency: _, ...own } = this.#context;
    const { layer, scope, spaces, tags, metadata, externalId, source, occurredAt } = this.#file;
    for (const { filename, mediaType, bytes } of attachments) {
      if (mediaType.startsWith('image/')) continue;
      const named =
        externalId === undefined ? undefined : `${externalId}#${filename}`.slice(0, maxExternalId);
      const place = { layer, scope, spaces, tags, metadata, source, occurredAt };
      const file = { ...place, externalId: named, filename, mediaType, bytes, mayReplace: true, parent };
      await receiveDocument(this.#parts, own, file);
    }
  }
}

/** What says that a file cannot be read. Other problems, such as an abort, say nothing about the file. */
const unreadable: readonly string[] = ['unsupported-document', 'document-unreadable', 'document-too-large'];

/** A problem if the file cannot be read. */
async function readFile(
  { reader, signal }: ReceiveParts,
  { bytes, filename, mediaType }: FileToReceive,
  tenant: string,
): Promise<DocumentContent | Problem> {
  try {
    // It is read in another process.
    return await withoutTurn(() => reader.read({ bytes, filename, mediaType }, { signal, tenant }));
  } catch (error) {
    if (error instanceof Problem && unreadable.includes(error.code)) return error;
    throw error;
  }
}

/** The claim of a document's externalId. Documents have name spaces of their own; personal ones have one for each owner. */
export function documentClaim(
  { vault }: CommandServices,
  tenant: string,
  placement: Placement,
  externalId: string,
): StreamName {
  return claimStreamOf(vault, tenant, 'documentExternalId', JSON.stringify([partOf(placement), externalId]));
}
