import type { TenantContext } from '../../domain/access/context.ts';
import type { SectionSource } from '../../domain/documents/source.ts';
import type { ReadModels, ReadView } from '../read-models.ts';

interface SourceRow extends Record<string, unknown> {
  readonly memory_id: string;
  readonly document_id: string;
  readonly path: string[];
  readonly starts: number;
  readonly ends: number;
  readonly first_page: number | null;
  readonly last_page: number | null;
  readonly hidden: boolean | null;
  readonly uri: string | null;
  readonly external_id: string | null;
  readonly title: string | null;
}

/** Where in their documents these memories stand, by memory id; those that are no sections are left out. */
export async function readSources(
  models: ReadModels,
  { tenant }: TenantContext,
  ids: readonly string[],
): Promise<ReadonlyMap<string, SectionSource>> {
  if (ids.length === 0) return new Map();
  const rows = await models.read({ projections: ['documents'] }, (view) =>
    models.sql.queryAs<SourceRow>(
      tenant,
      `select ${sourceColumns} from ${joinedSections(view)} where s.tenant = $1 and s.memory_id = any ($2::uuid[])`,
      [tenant, [...ids]],
    ),
  );
  return new Map(rows.map((row) => [row.memory_id, sourceOf(row)]));
}

const sourceColumns = `s.memory_id, s.document_id, s.path, s.starts, s.ends, s.first_page, s.last_page, s.hidden,
  coalesce(s.uri, d.source_uri) as uri, d.external_id, d.title`;

function joinedSections(view: Pick<ReadView, 'table'>): string {
  return `${view.table('documents', 'document_sections')} s
    join ${view.table('documents')} d on d.tenant = s.tenant and d.document_id = s.document_id`;
}

function sourceOf(row: SourceRow): SectionSource {
  const { document_id, external_id, uri, title, path, starts, ends, first_page, last_page, hidden } = row;
  return {
    documentId: document_id,
    ...(external_id !== null && { externalId: external_id }),
    ...(uri !== null && { uri }),
    ...(title !== null && { title }),
    path,
    start: starts,
    end: ends,
    ...(first_page !== null && { page: first_page, pages: [first_page, last_page ?? first_page] }),
    ...(hidden === true && { hidden }),
  };
}
