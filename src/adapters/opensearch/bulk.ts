import type { API, Types } from '@opensearch-project/opensearch';
import { NoSuchGeneration, type LexicalDocument, type RefusedDocument } from '../../ports/lexical-index.ts';
import { textHash } from '../../support/text-hash.ts';
import { isTransient } from './errors.ts';

const mostDocuments = 500;
/** Maximum size of a bulk, far below a node's limit of 100 MB. */
const mostBytes = 5_000_000;

/** Splits the documents into bulks, limited by number and size. */
export function* bulksOf(documents: readonly LexicalDocument[]): Generator<LexicalDocument[]> {
  let bulk: LexicalDocument[] = [];
  let bytes = 0;
  for (const document of documents) {
    const size = document.deleted ? 0 : Buffer.byteLength(document.body);
    if (bulk.length === mostDocuments || (bulk.length > 0 && bytes + size > mostBytes)) {
      yield bulk;
      [bulk, bytes] = [[], 0];
    }
    bulk.push(document);
    bytes += size;
  }
  if (bulk.length > 0) yield bulk;
}

/** The lines of a bulk request. A document is replaced only by the same or a later revision, so bulks may arrive in any order. */
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

/** Documents that must be written again, and why the last of them was not accepted. */
interface Rest {
  readonly again: readonly LexicalDocument[];
  readonly reason: string;
}

/** Adds up the outcome for the documents of one write. */
export class BulkOutcome {
  written = 0;
  /** Number of documents of which the index has a later revision. */
  outdated = 0;
  readonly refused: RefusedDocument[] = [];

  /** Adds the response to `operationsOf(…, documents)`. Throws `NoSuchGeneration` if the index does not exist. */
  add(documents: readonly LexicalDocument[], items: readonly BulkItem[]): Rest {
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
