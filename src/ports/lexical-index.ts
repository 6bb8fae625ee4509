import type { Region } from '../domain/access/region.ts';
import type { Layer, Scope } from '../domain/layers.ts';

/** Name of one build of the index, `[a-z0-9][a-z0-9_-]{0,99}`, such as a projection's version and generation. */
export type GenerationName = string;

interface DocumentIdentity {
  readonly tenant: string;
  readonly memoryId: string;
  /** Revision of the memory's stream that this document represents. */
  readonly revision: number;
}

/** A searchable memory. */
export interface ActiveDocument extends DocumentIdentity {
  readonly deleted: false;
  readonly layer: Layer;
  readonly scope: Scope;
  readonly body: string;
}

/** Remainder of a deleted or erased memory. Its revision keeps older documents from being written again. */
export interface DeletedDocument extends DocumentIdentity {
  readonly deleted: true;
}

/** A complete document, which replaces the one before it. It contains only fields of the memory's own stream. */
export type LexicalDocument = ActiveDocument | DeletedDocument;

/** Number of documents that were written, and of those skipped because the index has a later revision. */
export interface WrittenDocuments {
  readonly written: number;
  readonly outdated: number;
}

/** Maximum number of results of one search, and of entries in one page of a list. */
export const mostResults = 10_000;
/** Maximum number of memories to which one search can be restricted. */
export const mostAmong = 50_000;

export interface LexicalQuery {
  readonly region: Region;
  /** Interpreted as plain words, without query syntax. If there are more distinct words than the index supports, only the first ones are used. */
  readonly text: string;
  /** At most `mostResults`. */
  readonly limit: number;
  /** Restricts the search to these memories; at most `mostAmong`. */
  readonly among?: readonly string[];
}

/** The parts of a document that a digest covers. */
export interface IndexedEntry {
  readonly tenant: string;
  readonly memoryId: string;
  readonly revision: number;
  readonly deleted: boolean;
  /** `textHash` of the body; absent for a deleted document. */
  readonly textHash?: string;
}

export interface DocumentCounts {
  readonly active: number;
  readonly deleted: number;
}

export interface LexicalIndexHealth {
  /** `opensearch` */
  readonly distribution: string;
  readonly version: string;
  /** Green: every copy of every shard is available; yellow: one copy of every shard; red: a shard is missing. */
  readonly status: 'green' | 'yellow' | 'red';
}

/**
 * Finds memories by the words of their texts, ranked by BM25 over stems. Only the order of the results is used: the
 * scores in responses are computed elsewhere. Every adapter passes `test/contract/lexical-index.ts`.
 *
 * There may be several generations at the same time; at most one serves external readers. Every method rejects with
 * `LexicalIndexUnavailable` if the index does not answer within the adapter's time limit, and with `NoSuchGeneration` if its
 * generation does not exist.
 */
export interface LexicalIndex {
  /** Creates an empty generation. Resolves also if it exists already, empty or not. */
  createGeneration(generation: GenerationName): Promise<void>;
  /** Deletes a generation with all its documents. Resolves also if it does not exist. After the serving one is dropped, none serves. */
  dropGeneration(generation: GenerationName): Promise<void>;
  generations(): Promise<GenerationName[]>;
  /**
   * Atomically makes this generation the only one that external readers see; for a roll-back pass the former one. Searches of
   * this program specify their generation.
   */
  serve(generation: GenerationName): Promise<void>;
  /** The generation that external readers see; undefined before the first `serve`. */
  serving(): Promise<GenerationName | undefined>;
  /**
   * Writes complete documents, in any order and any number of times; the highest revision of each memory is kept. They are durable
   * when this resolves, and found after the next `refresh`. Rejects with `DocumentsRefused` if the index will never accept some
   * of them (the others are written), and with `LexicalIndexUnavailable` if it is unknown which were written: then write all
   * of them again.
   */
  write(generation: GenerationName, documents: readonly LexicalDocument[]): Promise<WrittenDocuments>;
  /** When this resolves, all documents written before the call are found, counted and listed. */
  refresh(generation: GenerationName): Promise<void>;
  /**
   * Ids of active memories in the region that contain any of the words, best first. A text without searchable words has no
   * results.
   */
  search(query: LexicalQuery, generation: GenerationName): Promise<string[]>;
  count(generation: GenerationName): Promise<DocumentCounts>;
  /**
   * Every document as of the first page, by tenant and memory id, in pages of at most `mostResults` (1,000 by default).
   * Rejects with `LexicalIndexUnavailable` also if that snapshot was lost meanwhile: then start again.
   */
  list(generation: GenerationName, pageSize?: number): AsyncIterable<IndexedEntry[]>;
  /**
   * Removes the words of documents that were replaced or deleted before this call from the index's files, where they would
   * otherwise stay until a merge. May take minutes; `signal` ends the wait, not the work. Rejects with
   * `LexicalIndexUnavailable` also if a copy of the index still needs them: then retry later.
   */
  expunge(generation: GenerationName, signal?: AbortSignal): Promise<void>;
  health(): Promise<LexicalIndexHealth>;
  close(): Promise<void>;
}

/** The index, or a part of it, cannot be reached: retry later. */
export class LexicalIndexUnavailable extends Error {
  override readonly name = 'LexicalIndexUnavailable';
}

/** There is no such generation. */
export class NoSuchGeneration extends Error {
  override readonly name = 'NoSuchGeneration';
}

export interface RefusedDocument {
  readonly tenant: string;
  readonly memoryId: string;
  readonly revision: number;
  /** The index's error type, without any content of the document. */
  readonly reason: string;
}

/** The index rejected these documents, and a retry would have the same result. */
export class DocumentsRefused extends Error {
  override readonly name = 'DocumentsRefused';
  readonly documents: readonly RefusedDocument[];

  constructor(documents: readonly RefusedDocument[]) {
    const [first] = documents;
    const example = first && `: ${first.tenant}/${first.memoryId}@${first.revision}, ${first.reason}`;
    super(`the lexical index refuses ${documents.length} documents${example}`);
    this.documents = documents;
  }
}
