import { closeSync, fdatasyncSync, fsyncSync, openSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';

/** What this file uses of Emscripten's file system, whose types know nothing of its inner tables. */
interface NodeFiles {
  readonly realPath: (node: unknown) => string;
  readonly stream_ops: { fsync?: (stream: OpenFile) => number };
}

interface OpenFile {
  /** File descriptor of Node; a directory has none. */
  readonly nfd?: number;
  readonly node: unknown;
}

/** WASI's error numbers. */
const ioError = 29;
const noSpace = 51;

type InitResult = Awaited<ReturnType<NodeFS['init']>>;

/**
 * Files of a folder, synced to the disk when PostgreSQL asks for it. The file system that comes with PGlite answers
 * every fsync with success and does nothing.
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
          // Thrown on, it would pass PostgreSQL by; as an error number it makes PostgreSQL stop, as it must.
          return (error as NodeJS.ErrnoException).code === 'ENOSPC' ? noSpace : ioError;
        }
      };
    });
    return result;
  }
}

/** Makes the names in a directory durable. Windows opens no directories and needs no such sync. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const descriptor = openSync(directory, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
