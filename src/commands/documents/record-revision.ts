import path from 'node:path';
import { actorOf } from '../../domain/access/context.ts';
import type { Placement } from '../../domain/access/visibility.ts';
import { cleanContent } from '../../domain/documents/clean.ts';
import { composeDocument } from '../../domain/documents/compose.ts';
import type { DocumentContent } from '../../domain/documents/content.ts';
import type { DocumentFact, DocumentState } from '../../domain/documents/document.ts';
import type { DocumentEvent, DocumentTextEvent } from '../../domain/documents/events.ts';
import { Problem } from '../../domain/problems.ts';
import { documentStream, documentTextStream } from '../../domain/streams.ts';
import type { StreamName } from '../../ports/event-log.ts';
import type { KeyRef } from '../../ports/key-vault.ts';
import { eventContext, type CommandContext } from '../context.ts';
import { clearPersonalData } from './clear-personal-data.ts';
import type { FileToReceive, ReceiveParts } from './file-to-receive.ts';
import { loadText } from './load-document.ts';
import { planSections } from './plan-sections.ts';
import { plannedEvents } from './planned-events.ts';

/** Length of a part of a text, in UTF-16 units: far below what an event may have. */
const partLength = 200_000;

/** A file before it is read. */
export interface ReceivedFile {
  readonly file: FileToReceive;
  /** Hash of its bytes, in hex. */
  readonly sha256: string;
  readonly placement: Placement;
  /** The claim of its externalId. */
  readonly claim: StreamName | undefined;
}

/** The events that were appended to a document, as if they had been loaded. */
export interface RecordedRevision {
  readonly facts: readonly DocumentFact[];
  readonly position: number;
}

/** Records a file in the stream of its document, whether it could be read or not. */
export class RevisionRecorder {
  readonly #parts: ReceiveParts;
  readonly #context: CommandContext;
  readonly #file: FileToReceive;
  readonly #placement: Placement;
  readonly #sha256: string;
  readonly #claim: StreamName | undefined;

  constructor(
    parts: ReceiveParts,
    context: CommandContext,
    { file, sha256, placement, claim }: ReceivedFile,
  ) {
    this.#parts = parts;
    this.#context = context;
    this.#file = file;
    this.#sha256 = sha256;
    this.#placement = placement;
    this.#claim = claim;
  }

  /** Throws `WrongExpectedRevision` if the document has changed since `before`, which is undefined for a new document. */
  async record(
    id: string,
    before: DocumentState | undefined,
    read: DocumentContent | Problem,
  ): Promise<RecordedRevision> {
    const key = this.#newKey();
    const isRefused = read instanceof Problem;
    const events = isRefused
      ? [this.#refused(id, before, read)]
      : await this.#received(id, before, cleanContent(read), key);
    const { revision, time, position } = await this.#parts.services.store.append(
      documentStream(this.#context.caller.tenant, id),
      before?.streamRevision ?? 'noStream',
      events,
      { ...eventContext(this.#context, key), keyIsNew: isRefused },
    );
    const first = revision - events.length + 1;
    const facts = events.map((event, index) => ({
      event,
      revision: first + index,
      time,
      erased: false,
      metadata: { keyId: key.id },
    }));
    return { facts, position };
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

  /** Appends the text, and returns the events that record the file and its sections. */
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
        ...(content.tags && { fileTags: [...content.tags] }),
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
      const { revision } = await store.append(stream, 'any', [event], { ...context, keyIsNew: parts === 0 });
      from ??= revision;
    }
    return { attempt, from: from!, parts };
  }
}

type Routed = NonNullable<Extract<DocumentEvent, { type: 'DocumentReceived' }>['data']['routed']>;
