import type { ReadModels, Wait } from '../read-models.ts';

interface DocumentRow extends Record<string, unknown> {
  readonly document_id: string;
  readonly external_id: string;
  readonly sha256: string;
  readonly state: string;
}

export interface SourceDocument {
  readonly documentId: string;
  readonly externalId: string;
  readonly sha256: string;
  /** No file of it could be read. */
  readonly isFailed: boolean;
}

/** All documents of a tenant whose externalId begins with `prefix`, without those that are deleted. */
export async function readSourceDocuments(
  models: ReadModels,
  tenant: string,
  prefix: string,
  wait: Wait,
): Promise<SourceDocument[]> {
  const rows = await models.read({ projections: ['documents'], ...wait }, (view) =>
    models.sql.queryAs<DocumentRow>(
      tenant,
      `select document_id, external_id, sha256, state from ${view.table('documents')}
       where tenant = $1 and state <> 'deleted' and starts_with(external_id, $2)
       order by document_id`,
      [tenant, prefix],
    ),
  );
  return rows.map(({ document_id, external_id, sha256, state }) => ({
    documentId: document_id,
    externalId: external_id,
    sha256,
    isFailed: state === 'failed',
  }));
}
