import { hash } from 'node:crypto';
import { goneFrom, type Source, type SourceRun } from '../../domain/sources/sources.ts';
import { FolderNotAllowed, type FolderReader } from '../../ports/folder-reader.ts';
import { ItemCounts, nothingDone, type RunResult } from './run-counts.ts';
import type { KnownDocument, SourceDocuments } from './source-documents.ts';

/** The largest file that is read. */
const maxBytes = 64_000_000;

/** Reads the files of a folder. A new file with the bytes of one that is gone was renamed. `last` is a run with the same configuration. */
export async function runFolder(
  folders: FolderReader,
  documents: SourceDocuments,
  { location }: Source,
  { last, minPosition }: { readonly last: SourceRun | undefined; readonly minPosition: number },
  signal: AbortSignal,
): Promise<RunResult> {
  const { files, isComplete } = await folders.list(location, signal);
  const known = await documents.known(minPosition);
  if (files.length === 0 && known.length > 0)
    return {
      ...nothingDone,
      problem: { code: 'empty-listing', detail: 'the folder has no files any more' },
      isFailure: true,
    };
  const byName = new Map(known.map((document) => [document.externalId, document]));
  const listed = new Set(files.map(({ name }) => documents.idOf(name)));
  const gone = goneFrom(known, listed, { isComplete });
  const renamed = new RenamedFiles(gone);
  const counts = new ItemCounts();
  for (const file of files) {
    signal.throwIfAborted();
    const externalId = documents.idOf(file.name);
    if (file.bytes > maxBytes) {
      counts.add({ became: 'failed', detail: `it has more than ${maxBytes} bytes` }, file.name);
      continue;
    }
    const bytes = await file.read().catch((error: unknown) => error as Error);
    if (bytes instanceof Error) {
      const isLink = bytes instanceof FolderNotAllowed;
      counts.add({ became: 'failed', detail: isLink ? bytes.message : 'it cannot be read' }, file.name);
      continue;
    }
    const sha256 = hash('sha256', bytes, 'hex');
    const before = byName.get(externalId);
    if (last && before?.sha256 === sha256 && !before.isFailed) {
      counts.add({ became: 'unchanged' }, file.name);
      continue;
    }
    const movedFrom = before ? undefined : renamed.origin(sha256);
    const { name: filename } = file;
    counts.add(await documents.receive({ externalId, bytes, filename, movedFrom }, signal), file.name);
  }
  const removed = await documents.remove(
    gone.filter(({ documentId }) => !renamed.has(documentId)),
    signal,
  );
  const partial = {
    code: 'incomplete-listing',
    detail: 'a folder below could not be read, so nothing was removed',
  } as const;
  return {
    ...counts.counts,
    found: files.length,
    removed,
    problem: isComplete ? counts.problem : partial,
    isFailure: !isComplete,
  };
}

/** Files that are gone, as origins of new ones with the same bytes. */
class RenamedFiles {
  readonly #byHash: Map<string, KnownDocument>;
  readonly #moved = new Set<string>();

  constructor(gone: readonly KnownDocument[]) {
    this.#byHash = new Map(gone.map((document) => [document.sha256, document]));
  }

  /** The externalId that a file with these bytes had; each origin is given once. */
  origin(sha256: string): string | undefined {
    const document = this.#byHash.get(sha256);
    if (!document || this.#moved.has(document.documentId)) return undefined;
    this.#moved.add(document.documentId);
    return document.externalId;
  }

  has(documentId: string): boolean {
    return this.#moved.has(documentId);
  }
}
