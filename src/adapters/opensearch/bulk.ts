import type { API, Types } from '@opensearch-project/opensearch';
import { NoSuchGeneration, type LexicalDocument, type RefusedDocument } from '../../ports/lexical-index.ts';
import { textHash } from '../../support/text-hash.ts';
import { isTransient } from './errors.ts';

const mostDocuments = 500;
/** Far below the 100 MB that a node takes. */
const mostBytes = 5_000_000;

/** The documents in parts of a size that a node likes: by their number and by their length. */
export function* bulksOf(documents: readonly LexicalDocument[]): Generator<LexicalDocument[]> {
  let part: LexicalDocument[] = [];
  let bytes = 0;
  for (const document of documents) {
    const size = document.deleted ? 0 : Buffer.byteLength(document.body);
    if (part.length === mostDocuments || (part.length > 0 && bytes + size > mostBytes)) {
      yield part;
      [part, bytes] = [[], 0];
    }
    part.push(document);
    bytes += size;
  }
  if (part.length > 0) yield part;
}

/** The bulk's lines: a revision at or above the one that is there replaces it, whatever the order of bulks. */
export function operationsOf(alias: string, documents: readonly LexicalDocument[]): API.Bulk_RequestBody {
  return documents.flatMap((document) => {
    const { tenant, memoryId, revision } = document;
    const place = { _index: alias, _id: `${tenant}.${memoryId}`, routing: tenant };
    return [
      { index: { ...place, version: revision, version_type: 'external_gte' as const } },
      source(document),
    ];
  });
}

function source(document: LexicalDocument): object {
  const { tenant, memoryId, revision, deleted } = document;
  const identity = { tenant, memoryId, revision, deleted };
  if (document.deleted) return identity;
  const { layer, scope, body } = document;
  return { ...identity, layer, scope, body, textHash: textHash(body) };
}

type BulkItem = Readonly<Record<string, Types.Core_Bulk.ResponseItem>>;

/** Documents to be written again, and why the last of them was not taken. */
interface Waiting {
  readonly again: readonly LexicalDocument[];
  readonly reason: string;
}

/** Adds up what became of the documents of one write. */
export class BulkOutcome {
  written = 0;
  /** The index has a later revision of them. */
  outdated = 0;
  readonly refused: RefusedDocument[] = [];

  /** Takes the answer to `operationsOf(…, documents)`. Throws `NoSuchGeneration` where there is no index to write to. */
  take(documents: readonly LexicalDocument[], items: readonly BulkItem[]): Waiting {
    const again: LexicalDocument[] = [];
    let last = '';
    for (const [place, document] of documents.entries()) {
      const { status = 500, error } = items[place]?.['index'] ?? {};
      const type = error?.type ?? '';
      const reason = `${status} ${type}`.trim();
      if (status < 300) this.written++;
      else if (status === 409) this.outdated++;
      else if (isTransient(status, type)) {
        again.push(document);
        last = reason;
      } else if (status === 404) throw new NoSuchGeneration(`there is no index to write to: ${reason}`);
      else {
        const { tenant, memoryId, revision } = document;
        this.refused.push({ tenant, memoryId, revision, reason });
      }
    }
    return { again, reason: last };
  }
}
