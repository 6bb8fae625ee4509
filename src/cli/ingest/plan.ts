import type { Document } from '../../../packages/client/src/index.ts';
import type { FoundFile } from './found-files.ts';

/** What a run does about a file. */
export type IngestStep = { readonly externalId: string } & (
  | { readonly action: 'add' | 'change' | 'unchanged'; readonly file: FoundFile }
  | { readonly action: 'move'; readonly file: FoundFile; readonly movedFrom: string }
  | { readonly action: 'delete'; readonly documentId: string }
);

/** Hashes of files that the server cannot read, by their names: they are sent again only if they change. */
export type Refused = ReadonlyMap<string, string>;

type KnownDocument = Pick<Document, 'id' | 'externalId' | 'sha256' | 'problem' | 'spaces' | 'tags'>;

/**
 * Compares the files with the documents that earlier runs stored. A new file with the bytes of one that is gone was renamed. Only where a
 * whole folder was listed does a missing file mean that it was deleted.
 */
export async function planIngest({
  files,
  known,
  isWhole,
  spaces,
  tags,
  refused,
}: {
  readonly files: readonly FoundFile[];
  readonly known: readonly KnownDocument[];
  readonly isWhole: boolean;
  readonly spaces: readonly string[];
  readonly tags: readonly string[];
  readonly refused: Refused;
}): Promise<IngestStep[]> {
  const byName = new Map(known.map((document) => [document.externalId, document]));
  const names = new Set(files.map(({ externalId }) => externalId));
  const gone = isWhole ? known.filter(({ externalId = '' }) => !names.has(externalId)) : [];
  const goneByHash = new Map(gone.map((document) => [document.sha256, document]));
  const steps: IngestStep[] = [];
  const moved = new Set<string>();
  for (const file of files) {
    const { externalId } = file;
    const before = byName.get(externalId);
    const sha256 = await file.sha256();
    const origin = before ? undefined : goneByHash.get(sha256);
    if (before) {
      const isRefused = before.problem !== undefined && refused.get(externalId) === sha256;
      const isSame =
        isRefused ||
        (before.sha256 === sha256 &&
          !before.problem &&
          isEqual(before.spaces, spaces) &&
          isEqual(before.tags, tags));
      steps.push({ action: isSame ? 'unchanged' : 'change', externalId, file });
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
