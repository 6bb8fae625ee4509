import { setTimeout as sleep } from 'node:timers/promises';
import { hash } from 'node:crypto';
import path from 'node:path';
import { z } from 'zod';
import { actorOf, type TenantContext } from '../../domain/access/context.ts';
import { partOf } from '../../domain/access/counted-parts.ts';
import { isVisible, visible, type Placement } from '../../domain/access/visibility.ts';
import { composeDocument } from '../../domain/documents/compose.ts';
import { cleanContent } from '../../domain/documents/clean.ts';
import type { DocumentContent } from '../../domain/documents/content.ts';
import { foldDocument, type DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent, DocumentTextEvent, RoutedBy } from '../../domain/documents/events.ts';
import { text } from '../../domain/json.ts';
import { canonicalJson } from '../../domain/json.ts';
import { externalIdSchema, identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import { metadataSchema, spacesSchema, tagsSchema, timestamp } from '../../domain/memory/content.ts';
import { Problem } from '../../domain/problems.ts';
import { documentStream, documentTextStream } from '../../domain/streams.ts';
import type { TrustSource } from '../../domain/trust/trust.ts';
import type { DocumentReader } from '../../ports/document-reader.ts';
import { WrongExpectedRevision, type StreamName } from '../../ports/event-log.ts';
import type { KeyRef } from '../../ports/key-vault.ts';
import { claimHolder, claimStreamOf, releaseClaim, takeClaim } from '../claims.ts';
import { CommandRecord } from '../command-record.ts';
import { eventContext, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';
import { assertKnownSpaces } from '../entry/check-spaces.ts';
import { writablePlacement } from '../placement.ts';
import { clearPersonalData } from './clear-personal-data.ts';
import { loadText } from './load-document.ts';
import { planSections } from './plan-sections.ts';
import { plannedEvents } from './planned-events.ts';

/** What a caller says about a file. */
export const documentFields = {
  filename: text(1_024).min(1).optional().meta({ description: 'Name of the file, with its folders' }),
  mediaType: text(256).min(1).optional().meta({
    description: 'Media type of the file. What its bytes say counts more',
  }),
  contentType: identifier.optional().meta({
    description: 'Kind of text, such as `documentation`. Default: what the file says or looks like',
  }),
  source: identifier.optional().meta({ description: 'Where the file comes from, such as `wiki`' }),
  sourceUri: text(4_096).min(1).optional().meta({ description: 'Address of the file' }),
  title: text(1_024).min(1).optional().meta({ description: 'Default: the title in the file, or its name' }),
  layer: layerSchema.default('user'),
  scope: scopeSchema.extend({ company: identifier.optional() }).default({}),
  spaces: spacesSchema.default([]),
  tags: tagsSchema.default([]),
  metadata: metadataSchema.default({}),
  occurredAt: timestamp.optional(),
};

const fileToReceive = z.object({ ...documentFields, externalId: externalIdSchema.optional() });

export type FileToReceive = z.output<typeof fileToReceive> & {
  readonly bytes: Uint8Array;
  /** A known document may have the externalId: the file is its next revision. */
  readonly mayReplace: boolean;
  /** The externalId that the document had until now, where a file was renamed. */
  readonly movedFrom?: string | undefined;
  /** The document that the file was attached to. */
  readonly parent?: string | undefined;
  /** Whom a new document is of, where the program itself stores it for somebody. */
  readonly createdBy?: string | undefined;
};

export interface DocumentResult extends CommandResult {
  readonly state: DocumentState;
  readonly isNew: boolean;
}

/** What is known of a document that names no spaces. `id` identifies its revision. */
export interface ContentToRoute {
  readonly id: string;
  readonly text: string;
  readonly title?: string | undefined;
  readonly source?: string | undefined;
  readonly sourceDomain?: string | undefined;
  readonly contentType?: string | undefined;
  readonly path?: string | undefined;
  /** A source brings it on its schedule. */
  readonly isUnasked?: boolean;
}

/** A query, which commands may not import. */
export type RouteContent = (
  caller: TenantContext,
  content: ContentToRoute,
  signal?: AbortSignal,
) => Promise<{
  readonly spaces: readonly string[];
  readonly because: RoutedBy;
  readonly details: {
    readonly rules?: readonly number[];
    readonly subjects?: readonly { readonly space: string }[];
    readonly model?: string;
  };
}>;

export interface ReceiveParts {
  readonly services: CommandServices;
  readonly reader: DocumentReader;
  /** Chooses the spaces of a document whose sender names none. */
  readonly route: RouteContent;
  /** Where the text comes from, see `Trust`. */
  readonly trustSource: TrustSource;
  readonly signal?: AbortSignal | undefined;
}

/** Races that a command may lose before its caller is told to retry. */
const maxAttempts = 20;
/** Length of a part of a text, in UTF-16 units: far below what an event may have. */
const partLength = 200_000;
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
    const appended = await this.#append(id, state);
    if (appended && this.#movedFrom && moved === id)
      await releaseClaim(services, this.#context, this.#movedFrom, id);
    return appended;
  }

  #assertReplaceable(state: DocumentState): void {
    const isSeen = isVisible(visible(this.#context.caller), state.place);
    if (!isSeen || !this.#file.mayReplace)
      throw new Problem('external-id-taken', 'another document of this tenant has this externalId', {
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

  async #append(id: string, before: DocumentState | undefined): Promise<DocumentResult | undefined> {
    const { services, reader, signal } = this.#parts;
    const { tenant } = this.#context.caller;
    this.#read ??= reader
      .read(
        { bytes: this.#file.bytes, filename: this.#file.filename, mediaType: this.#file.mediaType },
        signal,
      )
      .catch((error: unknown) => {
        if (error instanceof Problem && unreadable.includes(error.code)) return error;
        throw error;
      });
    const read = await this.#read;
    if (!(read instanceof Problem)) await this.#receiveAttachments(id, read);
    const key = this.#newKey();
    const events =
      read instanceof Problem
        ? [this.#refused(id, before, read)]
        : await this.#received(id, before, cleanContent(read), key);
    try {
      await services.store.append(documentStream(tenant, id), before?.streamRevision ?? 'noStream', events, {
        ...eventContext(this.#context, key),
        keyIsNew: read instanceof Problem,
      });
    } catch (error) {
      if (error instanceof WrongExpectedRevision) return undefined;
      throw error;
    }
    const loaded = await services.store.load<DocumentEvent>(documentStream(tenant, id));
    const until = loaded.slice(0, (before?.streamRevision ?? -1) + 1 + events.length);
    return {
      state: foldDocument(until)!,
      position: until.at(-1)!.position,
      replayed: false,
      isNew: before === undefined,
    };
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

  #newKey(): KeyRef {
    const { vault, newId } = this.#parts.services;
    const { tenant } = this.#context.caller;
    const subject = vault.pseudonym('subject', tenant, this.#placement.scope.user ?? tenant);
    return { tenant, id: `document.${newId()}`, subject };
  }

  #place(id: string, before: DocumentState | undefined, spaces: readonly string[] = this.#file.spaces) {
    return {
      documentId: id,
      revision: (before?.revision ?? 0) + 1,
      ...this.#placement,
      spaces: [...spaces],
      createdBy: before?.place.createdBy ?? this.#file.createdBy ?? actorOf(this.#context.caller),
      ...(this.#claim !== undefined && { claim: this.#claim }),
      bytes: this.#file.bytes.length,
      ...(this.#file.parent !== undefined && { parent: this.#file.parent }),
    };
  }

  #fileFacts() {
    const { filename, externalId, sourceUri } = this.#file;
    return {
      ...(filename !== undefined && { filename }),
      ...(externalId !== undefined && { externalId }),
      ...(sourceUri !== undefined && { sourceUri }),
      sha256: this.#sha256,
    };
  }

  #refused(id: string, before: DocumentState | undefined, problem: Problem): DocumentEvent {
    const title = this.#file.title;
    return {
      type: 'DocumentRefused',
      data: {
        ...this.#place(id, before),
        ...this.#fileFacts(),
        ...(title !== undefined && { title }),
        code: problem.code,
        detail: problem.message,
      },
    };
  }

  /** Appends the text, and returns the events that say what becomes of it. */
  async #received(
    id: string,
    before: DocumentState | undefined,
    read: DocumentContent,
    key: KeyRef,
  ): Promise<DocumentEvent[]> {
    const { services, trustSource } = this.#parts;
    const { tenant } = this.#context.caller;
    const { filename, source, tags, metadata } = this.#file;
    const { labels, routed } = await this.#spacesOf(id, before, read);
    const { content, refused } = await clearPersonalData(await services.spaces.of(tenant), labels, read);
    const ownTitle = this.#file.title ?? content.title;
    const title = ownTitle ?? (filename === undefined ? undefined : path.posix.basename(filename));
    const place = this.#place(id, before, labels);
    const known = before && {
      state: before,
      text: before.good && (await loadText(services, tenant, before, before.good.revision)),
    };
    const planned = planSections(content, {
      title: ownTitle,
      revision: place.revision,
      before: known,
      newId: services.newId,
    });
    const text = await this.#appendText(id, planned.text, key);
    const { mediaType, language, programmingLanguage, pages, isFeed, replacements } = content;
    const occurredAt = this.#file.occurredAt ?? content.occurredAt;
    const received: DocumentEvent = {
      type: 'DocumentReceived',
      data: {
        ...place,
        ...this.#fileFacts(),
        mediaType,
        contentType: this.#file.contentType ?? content.contentType,
        ...(language !== undefined && { language }),
        ...(programmingLanguage !== undefined && { programmingLanguage }),
        ...(occurredAt !== undefined && { occurredAt }),
        ...(pages && { pages: { ...pages, empty: [...pages.empty], withoutText: [...pages.withoutText] } }),
        ...(isFeed && { isFeed }),
        text,
        trustSource,
        ...(routed && { routed }),
        replacements,
        sections: planned.sections.length,
        ...(title !== undefined && { title }),
        hasOwnTitle: ownTitle !== undefined,
        ...(source !== undefined && { source }),
        tags,
        metadata,
        refused,
      },
    };
    return [received, ...plannedEvents(id, place.revision, planned.sections)];
  }

  /** The spaces that the sender names, or that were chosen before, or that are chosen now. */
  async #spacesOf(
    id: string,
    before: DocumentState | undefined,
    content: DocumentContent,
  ): Promise<{ readonly labels: readonly string[]; readonly routed?: Routed | undefined }> {
    const textIn = (field: string): string | undefined => {
      const value = this.#file.metadata[field];
      return typeof value === 'string' ? value : undefined;
    };
    const {
      spaces,
      title = content.title,
      contentType = textIn('content_type') ?? content.contentType,
    } = this.#file;
    if (spaces.length > 0) return { labels: spaces };
    const { good } = before ?? {};
    if (good?.routed && good.spaces.length > 0) return { labels: good.spaces, routed: good.routed };
    const { source = textIn('source'), sourceUri, filename } = this.#file;
    const {
      spaces: labels,
      because,
      details,
    } = await this.#parts.route(
      this.#context.caller,
      {
        id: `${id}.${(before?.revision ?? 0) + 1}`,
        text: composeDocument(content).text,
        title,
        source,
        sourceDomain: sourceUri,
        contentType,
        path: filename,
      },
      this.#parts.signal,
    );
    const { rules, subjects, model } = details;
    return {
      labels,
      routed: {
        because,
        ...(rules && { rules: [...rules] }),
        ...(subjects && { subjects: subjects.map(({ space }) => space) }),
        ...(model !== undefined && { model }),
      },
    };
  }

  async #appendText(
    id: string,
    text: string,
    key: KeyRef,
  ): Promise<{ readonly attempt: string; readonly from: number; readonly parts: number }> {
    const { store, newId } = this.#parts.services;
    const stream = documentTextStream(this.#context.caller.tenant, id);
    const attempt = newId();
    const { idempotency: _, ...own } = this.#context;
    const context = eventContext(own, key);
    let from: number | undefined;
    let parts = 0;
    for (; parts * partLength < text.length || parts === 0; parts++) {
      const event: DocumentTextEvent = {
        type: 'DocumentTextRead',
        data: {
          documentId: id,
          attempt,
          part: parts,
          text: text.slice(parts * partLength, (parts + 1) * partLength),
        },
      };
      const { revision } = await store.append(stream, 'any', [event], context);
      from ??= revision;
    }
    return { attempt, from: from!, parts };
  }
}

type Routed = NonNullable<Extract<DocumentEvent, { type: 'DocumentReceived' }>['data']['routed']>;

/** What says that a file cannot be read. Other problems, such as an abort, say nothing about the file. */
const unreadable: readonly string[] = ['unsupported-document', 'document-unreadable', 'document-too-large'];

/** The claim of a document's externalId. Documents have name spaces of their own; personal ones have one for each owner. */
export function documentClaim(
  { vault }: CommandServices,
  tenant: string,
  placement: Placement,
  externalId: string,
): StreamName {
  return claimStreamOf(vault, tenant, 'documentExternalId', JSON.stringify([partOf(placement), externalId]));
}
