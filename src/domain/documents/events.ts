import { z } from 'zod';
import { defineEvent, type EventOf } from '../events/define.ts';
import { jsonObject } from '../json.ts';
import { layerSchema, scopeSchema } from '../layers.ts';
import { trustSources } from '../trust/trust.ts';

const count = z.int().nonnegative();
/** The first revision of a document is 1. */
const revision = z.int().positive();
const time = z.iso.datetime();
const range = z.tuple([count, count]);

export const routedBy = ['rule', 'similar', 'model', 'fallback', 'none'] as const;
export type RoutedBy = (typeof routedBy)[number];

/** What becomes of the memory of a section. */
export const sectionActions = ['keep', 'change', 'restore', 'add'] as const;

/** A section and the memory that follows it. Its text is that of the revision `revision`, from `start` to `end` in UTF-16 units. */
export const recordedSectionSchema = z.object({
  memoryId: z.string(),
  action: z.enum(sectionActions),
  revision,
  kind: z.enum(['text', 'table', 'code', 'turns', 'entry']),
  path: z.array(z.string()),
  start: count,
  end: count,
  /** The header of a table that this part repeats. */
  header: range.optional(),
  pages: range.optional(),
  /** Names an entry of a feed in every version of it. */
  key: z.string().optional(),
  /** SHA-256 of the content of the memory, in hex. */
  hash: z.string(),
  quality: z.number().min(0).max(1),
  isBoilerplate: z.literal(true).optional(),
  isHidden: z.literal(true).optional(),
  at: z.string().optional(),
  uri: z.string().optional(),
});
export type RecordedSection = z.infer<typeof recordedSectionSchema>;

const placeFields = {
  documentId: z.string(),
  revision,
  layer: layerSchema,
  scope: z.object(scopeSchema.shape),
  spaces: z.array(z.string()),
  createdBy: z.string(),
  /** The claim stream of its externalId, released on erasure. */
  claim: z.string().optional(),
  /** Size of the file. */
  bytes: count,
  /** The mail that it was attached to. */
  parent: z.string().optional(),
};

const fileFields = {
  filename: z.string().optional(),
  externalId: z.string().optional(),
  sourceUri: z.string().optional(),
  /** Of the bytes, in hex. */
  sha256: z.string(),
};

/** Part of the text that was read from a file. All parts are in the log before the event that says that the document has this text. */
export const DocumentTextRead = defineEvent({
  type: 'DocumentTextRead',
  category: 'document',
  version: 1,
  routing: z.object({ documentId: z.string(), attempt: z.string(), part: count }),
  sealed: z.object({ text: z.string() }),
});

/**
 * A file was read as the next revision of a document. What becomes of its sections follows in `DocumentPlanned`, of the same append. Each
 * revision has a data key of its own.
 */
export const DocumentReceived = defineEvent({
  type: 'DocumentReceived',
  category: 'document',
  version: 1,
  routing: z.object({
    ...placeFields,
    mediaType: z.string(),
    contentType: z.string(),
    language: z.string().optional(),
    programmingLanguage: z.string().optional(),
    occurredAt: time.optional(),
    pages: z.object({ total: count, empty: z.array(count), withoutText: z.array(count) }).optional(),
    isFeed: z.literal(true).optional(),
    /** Where the text stands in the stream of texts: the parts of an attempt, which begins at this revision of the stream or later. */
    text: z.object({ attempt: z.string(), from: count, parts: count }),
    trustSource: z.enum(trustSources),
    /** What chose the spaces of a document whose sender named none. */
    routed: z
      .object({
        because: z.enum(routedBy),
        rules: z.array(count).optional(),
        subjects: z.array(z.string()).optional(),
        model: z.string().optional(),
      })
      .optional(),
    /** Characters of the file that its encoding cannot represent. */
    replacements: count,
    sections: count,
  }),
  sealed: z.object({
    ...fileFields,
    title: z.string().optional(),
    /** The title is in the file or from the caller, and begins the content of each section. */
    hasOwnTitle: z.boolean(),
    source: z.string().optional(),
    tags: z.array(z.string()),
    /** Tags that the file gives itself. */
    fileTags: z.array(z.string()).optional(),
    metadata: jsonObject,
    /** Texts that a space refuses, which were left out: type and place. */
    refused: z.array(z.object({ type: z.string(), path: z.array(z.string()) })),
  }),
});

/** Some of the sections of a revision, in order. Known sections that none of them names are removed. */
export const DocumentPlanned = defineEvent({
  type: 'DocumentPlanned',
  category: 'document',
  version: 1,
  routing: z.object({ documentId: z.string(), revision, from: count }),
  sealed: z.object({ sections: z.array(recordedSectionSchema) }),
});

/** A file could not be read. The last good revision stays as it is. */
export const DocumentRefused = defineEvent({
  type: 'DocumentRefused',
  category: 'document',
  version: 1,
  routing: z.object({ ...placeFields, code: z.string() }),
  sealed: z.object({ ...fileFields, title: z.string().optional(), detail: z.string() }),
});

export const skipReasons = ['low-quality', 'duplicate', 'not-accepted', 'refused', 'empty'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** Reasons that a person may overrule. */
export const acceptableReasons = [
  'low-quality',
  'duplicate',
  'not-accepted',
] as const satisfies readonly SkipReason[];

const skipped = z.object({
  memoryId: z.string(),
  reason: z.enum(skipReasons),
  /** Of a duplicate, the memory that has the text. */
  of: z.string().optional(),
});

/** The memories of some sections are as planned: a process that is killed continues after them. */
export const DocumentAdvanced = defineEvent({
  type: 'DocumentAdvanced',
  category: 'document',
  version: 1,
  routing: z.object({
    documentId: z.string(),
    revision,
    done: z.array(z.string()),
    skipped: z.array(skipped),
  }),
  sealed: z.object({}),
});

/** All memories are as planned. */
export const DocumentStored = defineEvent({
  type: 'DocumentStored',
  category: 'document',
  version: 1,
  routing: z.object({ documentId: z.string(), revision }),
  sealed: z.object({}),
});

/** Its sections are decided about anew; those that were skipped for one of the accepted reasons are stored. */
export const DocumentReprocessed = defineEvent({
  type: 'DocumentReprocessed',
  category: 'document',
  version: 1,
  routing: z.object({ documentId: z.string(), revision, accept: z.array(z.enum(skipReasons)) }),
  sealed: z.object({}),
});

export const DocumentDeleted = defineEvent({
  type: 'DocumentDeleted',
  category: 'document',
  version: 1,
  routing: z.object({ documentId: z.string(), retentionUntil: time }),
  sealed: z.object({}),
});

export const DocumentRestored = defineEvent({
  type: 'DocumentRestored',
  category: 'document',
  version: 1,
  routing: z.object({ documentId: z.string() }),
  sealed: z.object({}),
});

/**
 * A memory of one of its sections was erased, and with the keys the texts of all revisions until now. The sections that stay follow in
 * `DocumentPlanned`, of the same append.
 */
export const DocumentTextErased = defineEvent({
  type: 'DocumentTextErased',
  category: 'document',
  version: 1,
  routing: z.object({ documentId: z.string(), memoryId: z.string(), keyIds: z.array(z.string()) }),
  sealed: z.object({
    ...fileFields,
    title: z.string().optional(),
    hasOwnTitle: z.boolean(),
    source: z.string().optional(),
    tags: z.array(z.string()),
    /** Tags that the file gives itself. */
    fileTags: z.array(z.string()).optional(),
    metadata: jsonObject,
  }),
});

/** Its keys are destroyed after this event, and its memories are erased. */
export const DocumentErased = defineEvent({
  type: 'DocumentErased',
  category: 'document',
  version: 1,
  routing: z.object({
    documentId: z.string(),
    keyIds: z.array(z.string()),
    /** The memories of all its sections. */
    memoryIds: z.array(z.string()),
    claim: z.string().optional(),
  }),
  sealed: z.object({}),
});

export type DocumentTextEvent = EventOf<typeof DocumentTextRead>;

export type DocumentEvent =
  | EventOf<typeof DocumentReceived>
  | EventOf<typeof DocumentPlanned>
  | EventOf<typeof DocumentRefused>
  | EventOf<typeof DocumentAdvanced>
  | EventOf<typeof DocumentStored>
  | EventOf<typeof DocumentReprocessed>
  | EventOf<typeof DocumentDeleted>
  | EventOf<typeof DocumentRestored>
  | EventOf<typeof DocumentTextErased>
  | EventOf<typeof DocumentErased>;

/** The events of a document itself, without those of its texts. */
export const documentEvents = [
  'DocumentReceived',
  'DocumentPlanned',
  'DocumentRefused',
  'DocumentAdvanced',
  'DocumentStored',
  'DocumentReprocessed',
  'DocumentDeleted',
  'DocumentRestored',
  'DocumentTextErased',
  'DocumentErased',
] as const satisfies readonly DocumentEvent['type'][];
