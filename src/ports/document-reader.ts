import type { DocumentContent } from '../domain/documents/content.ts';

/** A file to be read. */
export interface FileToRead {
  readonly bytes: Uint8Array;
  /** With its folders, where they are known. */
  readonly filename?: string | undefined;
  /** What the sender says; the bytes decide where they differ. */
  readonly mediaType?: string | undefined;
}

/** Turns files into text. Throws a `Problem` for what cannot be read: `unsupported-document`, `document-unreadable`, `document-too-large`. */
export interface DocumentReader {
  read(file: FileToRead, options?: ReadOptions): Promise<DocumentContent>;
}

export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Files of different tenants are read in turn. */
  readonly tenant?: string;
}
