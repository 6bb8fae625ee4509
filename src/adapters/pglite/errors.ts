/** Another process, or this one, has the data folder open. */
export class DataDirectoryLocked extends Error {
  override readonly name = 'DataDirectoryLocked';
  readonly directory: string;
  /** Process id of the holder; undefined if it did not answer (frozen, or owned by another user). */
  readonly pid: number | undefined;

  constructor(directory: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `process ${pid}`;
    super(`${directory} is in use by ${holder}: stop it, or choose another data folder`);
    this.directory = directory;
    this.pid = pid;
  }
}

/** A newer version of this program wrote the data folder. */
export class DataDirectoryTooNew extends Error {
  override readonly name = 'DataDirectoryTooNew';
  readonly directory: string;
  readonly found: number;
  readonly supported: number;

  constructor(directory: string, found: number, supported: number) {
    super(
      `${directory} has format ${found} and this version reads formats up to ${supported}: update the program, or choose another data folder`,
    );
    this.directory = directory;
    this.found = found;
    this.supported = supported;
  }
}

/** The folder contains something other than a database of this program. Nothing in it was changed. */
export class DataDirectoryUnusable extends Error {
  override readonly name = 'DataDirectoryUnusable';
}

/** An error that says what to do if `error` was caused by a read-only file system; otherwise `error` itself. */
export function readOnlyExplained(directory: string, error: unknown): unknown {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EROFS') continue;
    return new DataDirectoryUnusable(
      `${directory} cannot be written, its file system is read-only: mount it for writing, or choose another folder with --data or STRATALOG_DATA`,
      { cause: error },
    );
  }
  return error;
}
