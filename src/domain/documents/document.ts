import { canonicalJson } from '../json.ts';
import { sectionContent } from './sections.ts';
import type { DocumentEvent, RecordedSection, SkipReason } from './events.ts';

type Received = Extract<DocumentEvent, { type: 'DocumentReceived' }>['data'];
type Refused = Extract<DocumentEvent, { type: 'DocumentRefused' }>['data'];

/** What a document says about its file; absent of a document whose keys are destroyed. */
export type FileFacts = Pick<
  Received,
  | 'filename'
  | 'externalId'
  | 'sourceUri'
  | 'sha256'
  | 'title'
  | 'hasOwnTitle'
  | 'source'
  | 'tags'
  | 'fileTags'
  | 'metadata'
>;

export interface Skipped {
  readonly memoryId: string;
  readonly reason: SkipReason;
  readonly of?: string | undefined;
}

/** As many as a memory may have. */
const maxTags = 100;

/** Where a document is kept and who may see it. */
export type DocumentPlace = Pick<
  Received,
  'documentId' | 'layer' | 'scope' | 'spaces' | 'createdBy' | 'claim' | 'bytes' | 'parent'
>;

/** The last revision that could be read. */
export type GoodRevision = DocumentPlace &
  Pick<
    Received,
    | 'revision'
    | 'mediaType'
    | 'contentType'
    | 'language'
    | 'programmingLanguage'
    | 'occurredAt'
    | 'pages'
    | 'isFeed'
    | 'trustSource'
    | 'routed'
    | 'replacements'
    | 'refused'
  > &
  FileFacts;

export interface DocumentState {
  readonly status: 'stored' | 'failed' | 'deleted' | 'erased';
  /** Of the last file, also if it could not be read. */
  readonly place: DocumentPlace;
  readonly revision: number;
  readonly good?: GoodRevision | undefined;
  /** Why the last file could not be read. */
  readonly problem?:
    Pick<Refused, 'code' | 'detail' | 'filename' | 'title' | 'externalId' | 'sha256'> | undefined;
  /** The sections of the last good revision by the ids of their memories, in order. */
  readonly sections: ReadonlyMap<string, RecordedSection>;
  /** Sections that the document no longer has. */
  readonly removed: ReadonlyMap<string, RecordedSection>;
  /** Ids of memories that are not as planned yet, as far as is recorded. */
  readonly due: ReadonlySet<string>;
  readonly skipped: ReadonlyMap<string, Skipped>;
  /** Reasons for which no section is skipped any more. */
  readonly accepts: ReadonlySet<SkipReason>;
  /** Where the text of a revision stands; empty after an erasure. */
  readonly texts: ReadonlyMap<number, Received['text']>;
  /** The data keys of its events. */
  readonly keyIds: ReadonlySet<string>;
  readonly retentionUntil?: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  /** Revision of its stream. */
  readonly streamRevision: number;
}

/** An event of a document as it was loaded. */
export interface DocumentFact {
  readonly event: DocumentEvent;
  readonly revision: number;
  readonly time: Date;
  /** The sealed fields are lost. */
  readonly erased: boolean;
  readonly metadata?: { readonly keyId?: string };
}

type Draft = {
  -readonly [Field in keyof DocumentState]: DocumentState[Field] extends ReadonlyMap<infer Key, infer Value>
    ? Map<Key, Value>
    : DocumentState[Field] extends ReadonlySet<infer Item>
      ? Set<Item>
      : DocumentState[Field];
};

/** Undefined if the stream is empty. */
export function foldDocument(facts: readonly DocumentFact[]): DocumentState | undefined {
  let state: Draft | undefined;
  /** What was due before the plan that is being read. */
  let dueBefore = new Set<string>();
  /** Whether the revision that is being read has other tags, spaces or metadata than the one before, so that kept sections change too. */
  let isRelabelled = false;
  for (const { event, revision, time, erased, metadata } of facts) {
    if (event.type === 'DocumentReceived' || event.type === 'DocumentRefused') {
      state ??= begun(event.data, time);
      const { documentId, layer, scope, spaces, createdBy, claim, bytes, parent } = event.data;
      state.place = { documentId, layer, scope, spaces, createdBy, claim, bytes, parent };
      state.revision = event.data.revision;
    }
    if (!state) continue;
    if (metadata?.keyId !== undefined) state.keyIds.add(metadata.keyId);
    state.streamRevision = revision;
    state.updatedAt = time;
    switch (event.type) {
      case 'DocumentReceived':
        if (state.status === 'deleted') state.due = new Set(state.sections.keys());
        state.status = 'stored';
        state.problem = undefined;
        state.retentionUntil = undefined;
        if (erased) break;
        isRelabelled = state.good !== undefined && labelsOf(state.good) !== labelsOf(event.data);
        state.good = event.data;
        state.texts.set(event.data.revision, event.data.text);
        break;
      case 'DocumentRefused':
        if (state.status !== 'stored' || !state.good) state.status = 'failed';
        state.problem = event.data;
        break;
      case 'DocumentPlanned':
        if (erased) break;
        if (event.data.from === 0) dueBefore = beginPlan(state);
        addToPlan(state, event.data.sections, isRelabelled ? undefined : dueBefore);
        break;
      case 'DocumentAdvanced':
        for (const id of event.data.done) {
          state.due.delete(id);
          state.skipped.delete(id);
        }
        for (const one of event.data.skipped) state.skipped.set(one.memoryId, one);
        break;
      case 'DocumentStored':
        state.due.clear();
        break;
      case 'DocumentReprocessed':
        state.accepts = new Set(event.data.accept);
        state.due = new Set(state.sections.keys());
        break;
      case 'DocumentDeleted':
        state.status = 'deleted';
        state.retentionUntil = event.data.retentionUntil;
        state.due = new Set(state.sections.keys());
        break;
      case 'DocumentRestored':
        state.status = state.good ? 'stored' : 'failed';
        state.retentionUntil = undefined;
        state.due = new Set(state.sections.keys());
        break;
      case 'DocumentTextErased':
        isRelabelled = false;
        for (const id of event.data.keyIds) state.keyIds.delete(id);
        state.texts.clear();
        state.sections.delete(event.data.memoryId);
        state.removed.clear();
        state.skipped.delete(event.data.memoryId);
        state.due.delete(event.data.memoryId);
        if (state.good && !erased) state.good = { ...state.good, ...event.data, refused: [] };
        break;
      case 'DocumentErased':
        state.status = 'erased';
        break;
      default:
        event satisfies never;
    }
  }
  return state;
}

function begun(place: DocumentPlace & { readonly revision: number }, time: Date): Draft {
  return {
    status: 'failed',
    place,
    revision: place.revision,
    sections: new Map(),
    removed: new Map(),
    due: new Set(),
    skipped: new Map(),
    accepts: new Set(),
    texts: new Map(),
    keyIds: new Set(),
    createdAt: time,
    updatedAt: time,
    streamRevision: -1,
  };
}

/** Until the plan names a section again, it is one that the document no longer has. */
function beginPlan(state: Draft): Set<string> {
  const dueBefore = new Set(state.due);
  for (const [id, section] of state.sections) {
    state.removed.set(id, section);
    state.due.add(id);
  }
  state.sections = new Map();
  return dueBefore;
}

/** Without `dueBefore`, kept sections are due like the others. */
function addToPlan(
  state: Draft,
  sections: readonly RecordedSection[],
  dueBefore: ReadonlySet<string> | undefined,
): void {
  for (const section of sections) {
    const { memoryId, action } = section;
    state.sections.set(memoryId, section);
    state.removed.delete(memoryId);
    if (action === 'keep' && dueBefore?.has(memoryId) === false) state.due.delete(memoryId);
    else state.due.add(memoryId);
  }
}

export type DocumentPhase = 'processing' | 'ready' | 'failed' | 'deleted';

/** What callers see of the state. */
export function phaseOf({ status, due }: DocumentState): DocumentPhase | 'erased' {
  if (status !== 'stored') return status;
  return due.size > 0 ? 'processing' : 'ready';
}

/** The content that the memory of a section has, from the text of the section's revision. */
export function contentOf(text: string, section: RecordedSection, good: GoodRevision): string {
  return sectionContent(text, section, good.hasOwnTitle ? good.title : undefined);
}

/** What all sections of a revision have from the document, whatever their texts. */
function labelsOf(good: GoodRevision): string {
  const { spaces, metadata, contentType, programmingLanguage, source } = good;
  return canonicalJson({
    spaces,
    tags: tagsOfSections(good),
    metadata,
    contentType,
    programmingLanguage: programmingLanguage ?? null,
    source: source ?? null,
  });
}

/** The tags of the sections of a document: those that its sender gave, and those that the file gives itself. */
export function tagsOfSections({ tags, fileTags = [] }: Pick<FileFacts, 'tags' | 'fileTags'>): string[] {
  return [...new Set([...tags, ...fileTags])].slice(0, maxTags);
}
