import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** The parts of Emscripten's file system that are used here; its types do not include its internal tables. */
interface NodeFiles {
  readonly realPath: (node: unknown) => string;
  readonly stream_ops: { fsync?: (stream: OpenFile) => number };
}

interface OpenFile {
  /** Node's file descriptor; a directory has none. */
  readonly nfd?: number;
  readonly node: unknown;
}

/** WASI error numbers. */
const ioError = 29;
const noSpace = 51;

type InitResult = Awaited<ReturnType<NodeFS['init']>>;

/**
 * A file system on a folder that syncs to disk when PostgreSQL calls fsync. PGlite's own file system reports success for every
 * fsync and does nothing.
 */
export class DurableNodeFS extends NodeFS {
  override async init(pg: PGlite, options: InitResult['emscriptenOpts']): Promise<InitResult> {
    const result = await super.init(pg, options);
    result.emscriptenOpts.preRun!.unshift((module) => {
      const files = (module.FS as unknown as { filesystems: { NODEFS: NodeFiles } }).filesystems.NODEFS;
      files.stream_ops.fsync = (file) => {
        try {
          if (file.nfd !== undefined) fdatasyncSync(file.nfd);
          else syncDirectory(files.realPath(file.node));
          return 0;
        } catch (error) {
          // PostgreSQL would not notice an exception. The error number makes it stop, which is necessary.
          return (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noSpace : ioError;
        }
      };
    });
    return result;
  }
}

/** Makes the entries of a directory durable. Windows cannot open directories and needs no such sync. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
