import type { Document } from '../../../packages/client/src/index.ts';
import { maxFileBytes, type FoundFile } from './found-files.ts';

/** What a run does about a file. */
export type IngestStep = { readonly externalId: string } & (
  | { readonly action: 'add' | 'change' | 'unchanged'; readonly file: FoundFile }
  | { readonly action: 'move'; readonly file: FoundFile; readonly movedFrom: string }
  | { readonly action: 'delete'; readonly documentId: string }
  | { readonly action: 'too-large' }
);

type KnownDocument = Pick<Document, 'id' | 'externalId' | 'sha256' | 'problem' | 'spaces' | 'tags'>;

/**
 * Compares the files with the documents that earlier runs stored. A new file with the bytes of one that is gone was renamed. Only where a
 * whole folder was listed does a missing file mean that it was deleted, and a folder without any file deletes nothing: it may not be mounted.
 */
export async function planIngest({
  files,
  known,
  isWhole,
  spaces,
  tags,
  refused = new Map(),
}: {
  readonly files: readonly FoundFile[];
  readonly known: readonly KnownDocument[];
  readonly isWhole: boolean;
  readonly spaces: readonly string[];
  readonly tags: readonly string[];
  /** Hashes of the files, by externalId, that this process has sent and the server could not read. They are not sent again. */
  readonly refused?: ReadonlyMap<string, string>;
}): Promise<IngestStep[]> {
  const byName = new Map(known.map((document) => [document.externalId, document]));
  const names = new Set(files.map(({ externalId }) => externalId));
  const gone =
    isWhole && files.length > 0 ? known.filter(({ externalId = '' }) => !names.has(externalId)) : [];
  const goneByHash = new Map(gone.map((document) => [document.sha256, document]));
  const steps: IngestStep[] = [];
  const moved = new Set<string>();
  for (const file of files) {
    const { externalId } = file;
    if (file.bytes > maxFileBytes) {
      steps.push({ action: 'too-large', externalId });
      continue;
    }
    const before = byName.get(externalId);
    const sha256 = await file.sha256();
    const origin = before ? undefined : goneByHash.get(sha256);
    if (before) {
      const isSame =
        before.sha256 === sha256 &&
        !before.problem &&
        isEqual(before.spaces, spaces) &&
        isEqual(before.tags, tags);
      const isUnchanged = isSame || refused.get(externalId) === sha256;
      steps.push({ action: isUnchanged ? 'unchanged' : 'change', externalId, file });
    } else if (origin?.externalId !== undefined && !moved.has(origin.id)) {
      moved.add(origin.id);
      steps.push({ action: 'move', externalId, file, movedFrom: origin.externalId });
    } else steps.push({ action: 'add', externalId, file });
  }
  for (const { id, externalId = '' } of gone)
    if (!moved.has(id)) steps.push({ action: 'delete', externalId, documentId: id });
  return steps;
}

function isEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((each, index) => each === other[index]);
}
