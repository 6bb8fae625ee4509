/** A file of a folder of the server. */
export interface FolderFile {
  /** Path below the folder, with slashes. */
  readonly name: string;
  readonly bytes: number;
  /** Rejects if the file is not in the folder any more, as where a link took its place. */
  read(): Promise<Uint8Array>;
}

export interface FolderListing {
  /** In the order of their names, without what a `.gitignore` or a `.stratalogignore` leaves out. Links are not followed. */
  readonly files: readonly FolderFile[];
  /** Whether all folders below could be read. */
  readonly isComplete: boolean;
}

/** Reads folders of the server, below those that an operator allowed. */
export interface FolderReader {
  /** Throws `FolderNotAllowed` or `FolderUnreadable`. */
  list(folder: string, signal: AbortSignal): Promise<FolderListing>;
}

/** The folder is in none of those that may be read. */
export class FolderNotAllowed extends Error {
  override readonly name = 'FolderNotAllowed';
}

export class FolderUnreadable extends Error {
  override readonly name = 'FolderUnreadable';
}
