import type { Region } from '../domain/access/region.ts';
import type { Layer, Scope } from '../domain/layers.ts';

/** Names one build of the index, `[a-z0-9][a-z0-9_-]{0,99}`: a projection's version and generation, for example. */
export type GenerationName = string;

interface DocumentIdentity {
  readonly tenant: string;
  readonly memoryId: string;
  /** Of the memory's stream, at the event that made it so. */
  readonly revision: number;
}

/** A memory that can be found. */
export interface ActiveDocument extends DocumentIdentity {
  readonly deleted: false;
  readonly layer: Layer;
  readonly scope: Scope;
  readonly body: string;
}

/** What stays of a memory that is deleted or erased: its revision, so that no older one comes back. */
export interface DeletedDocument extends DocumentIdentity {
  readonly deleted: true;
}

/** A whole document: it replaces the one before it, and holds fields of the memory's own stream only. */
export type LexicalDocument = ActiveDocument | DeletedDocument;

/** How many documents were taken, and how many were not because the index has a later revision of them. */
export interface WrittenDocuments {
  readonly written: number;
  readonly outdated: number;
}

/** What one search answers at most, and one page of a list. */
export const mostResults = 10_000;
/** The memories that one search looks among at most. */
export const mostAmong = 50_000;

export interface LexicalQuery {
  readonly region: Region;
  /** Taken as plain words, whatever it holds. Of more distinct words than the index can look for, the first. */
  readonly text: string;
  /** At most `mostResults`. */
  readonly limit: number;
  /** Nothing but these memories; at most `mostAmong`. */
  readonly among?: readonly string[];
}

/** What a digest needs of a document. */
export interface IndexedEntry {
  readonly tenant: string;
  readonly memoryId: string;
  readonly revision: number;
  readonly deleted: boolean;
  /** `textHash` of the body; absent where the document is deleted. */
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
  /** Green: every copy of every shard is there; yellow: one of each; red: some shard is missing. */
  readonly status: 'green' | 'yellow' | 'red';
}

/**
 * Finds memories by the words of their texts, ranked by BM25 over stems. Only the order of what is found means
 * something: the scores that an answer shows are computed elsewhere. Every adapter passes
 * `test/contract/lexical-index.ts`.
 *
 * There may be several generations side by side; at most one serves readers from outside. Every method rejects with `LexicalIndexUnavailable`
 * when the index does not answer within the adapter's patience, and with `NoSuchGeneration` where its generation is
 * missing.
 */
export interface LexicalIndex {
  /** Makes an empty generation; resolves too where it is there already, empty or not. */
  createGeneration(generation: GenerationName): Promise<void>;
  /** Deletes it with all its documents; resolves too where there is none. After the one that serves none does. */
  dropGeneration(generation: GenerationName): Promise<void>;
  generations(): Promise<GenerationName[]>;
  /**
   * Shows this generation, and no other, to readers from outside, from one moment to the next; a roll-back names the
   * former one. Searches name theirs.
   */
  serve(generation: GenerationName): Promise<void>;
  /** The generation that serves, undefined before the first `serve`. */
  serving(): Promise<GenerationName | undefined>;
  /**
   * Writes whole documents, in any order and any number of times: of each memory the highest revision stays. Durable
   * when it resolves, found after the next `refresh`. Rejects with `DocumentsRefused` where the index takes some of them
   * under no circumstances (the others are written), and with `LexicalIndexUnavailable` where it is unknown which were
   * written: write all of them again.
   */
  write(generation: GenerationName, documents: readonly LexicalDocument[]): Promise<WrittenDocuments>;
  /** Everything whose write resolved before this call is found, counted and listed once this resolves. */
  refresh(generation: GenerationName): Promise<void>;
  /**
   * Ids of active memories inside the region that hold any of the words, best first. A text without a word to look for
   * finds nothing.
   */
  search(query: LexicalQuery, generation: GenerationName): Promise<string[]>;
  count(generation: GenerationName): Promise<DocumentCounts>;
  /**
   * Every document as it was at the first page, by tenant and memory id, in pages of at most `mostResults` (default 1,000).
   * Rejects with `LexicalIndexUnavailable` too where that state was lost meanwhile: begin again.
   */
  list(generation: GenerationName, pageSize?: number): AsyncIterable<IndexedEntry[]>;
  /**
   * Takes the words of every document that was replaced or deleted before this call out of the index's files, where they
   * stay otherwise until their turn comes. May take minutes; `signal` ends the wait, not the work. Rejects with
   * `LexicalIndexUnavailable` too where a copy of the index holds them back: try again later.
   */
  expunge(generation: GenerationName, signal?: AbortSignal): Promise<void>;
  health(): Promise<LexicalIndexHealth>;
  close(): Promise<void>;
}

/** The index cannot be reached, or not all of it: try again later. */
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
  /** The index's own name of the fault; nothing of the document's content. */
  readonly reason: string;
}

/** The index takes these documents as little the next time. */
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
