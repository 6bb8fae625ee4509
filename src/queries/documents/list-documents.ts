import type { TenantContext } from '../../domain/access/context.ts';
import { visible } from '../../domain/access/visibility.ts';
import type { Layer } from '../../domain/layers.ts';
import type { MemoryView } from '../../domain/memory/view.ts';
import { isMemoryId } from '../../domain/streams.ts';
import { fingerprintOf, readCursor, writeCursor } from '../cursors.ts';
import { joinUsage, memoryColumns, memoryOf, type MemoryRow } from '../memory-row.ts';
import type { ReadModels, Wait } from '../read-models.ts';
import { regionCondition } from '../scope-sql.ts';
import { allOf, Parameters } from '../sql-builder.ts';

export const listedStates = ['stored', 'failed', 'deleted'] as const;

export interface DocumentsFilter {
  readonly layers?: readonly Layer[] | undefined;
  readonly space?: string | undefined;
  readonly state?: (typeof listedStates)[number] | undefined;
  readonly contentType?: string | undefined;
  /** Only documents whose externalId begins with this. */
  readonly prefix?: string | undefined;
  /** Only documents that were attached to this one. */
  readonly parent?: string | undefined;
}

interface Page {
  readonly cursor?: string | undefined;
  readonly limit: number;
  readonly wait: Wait;
}

export interface ListedDocuments {
  readonly ids: readonly string[];
  readonly nextCursor: string | undefined;
  readonly position: number;
}

/** The ids of documents that the caller sees, the newest first. Without a state, those that are deleted are left out. */
export async function listDocuments(
  models: ReadModels,
  caller: TenantContext,
  { cursor, limit, wait, ...filter }: DocumentsFilter & Page,
): Promise<ListedDocuments> {
  const bound = fingerprintOf({ documents: { ...filter } });
  const before = cursor === undefined ? undefined : readCursor(cursor, bound);
  const { layers, space, state, contentType, prefix, parent } = filter;
  return models.read({ projections: ['documents'], ...wait }, async (view) => {
    const parameters = new Parameters();
    const region = { tenant: caller.tenant, visibility: visible(caller), ...(layers && { layers }) };
    const conditions = [
      regionCondition(region, 'd', parameters),
      state === undefined ? `d.state <> 'deleted'` : `d.state = ${parameters.bind(state)}`,
      ...(space === undefined ? [] : [`${parameters.bind(space)} = any (d.spaces)`]),
      ...(contentType === undefined ? [] : [`d.content_type = ${parameters.bind(contentType)}`]),
      ...(prefix === undefined ? [] : [`starts_with(d.external_id, ${parameters.bind(prefix)})`]),
      ...(parent === undefined ? [] : [`d.parent::text = ${parameters.bind(parent)}`]),
      ...(before !== undefined && isMemoryId(before)
        ? [`d.document_id < ${parameters.bind(before)}::uuid`]
        : []),
    ];
    const rows = await models.sql.queryAs<{ document_id: string }>(
      caller.tenant,
      `select d.document_id from ${view.table('documents')} d where ${allOf(conditions)}
       order by d.document_id desc limit ${parameters.bind(limit + 1)}`,
      parameters.values,
    );
    const ids = rows.slice(0, limit).map(({ document_id }) => document_id);
    const nextCursor = rows.length > limit ? writeCursor(ids.at(-1)!, bound) : undefined;
    return { ids, nextCursor, position: view.position };
  });
}

/** The memories of a document's sections in their order, without those that are deleted or withheld. */
export async function listDocumentMemories(
  models: ReadModels,
  caller: TenantContext,
  documentId: string,
  { cursor, limit, wait }: Page,
): Promise<{
  readonly items: MemoryView[];
  readonly nextCursor: string | undefined;
  readonly position: number;
}> {
  const bound = fingerprintOf({ sections: documentId });
  const after = cursor === undefined ? -1 : Number(readCursor(cursor, bound));
  const projections = ['documents', 'memories', 'usage', 'feedback', 'values'];
  return models.read({ projections, ...wait }, async (view) => {
    const parameters = new Parameters();
    const columns = memoryColumns(view, caller.user, parameters);
    const rows = await models.sql.queryAs<MemoryRow & { readonly ordinal: number }>(
      caller.tenant,
      `select s.ordinal, ${columns} from ${view.table('documents', 'document_sections')} s
       join ${view.table('memories')} m on m.tenant = s.tenant and m.memory_id = s.memory_id and m.to_position is null
       ${joinUsage(view.table('usage'))}
       where ${allOf([
         `s.document_id = ${parameters.bind(documentId)}::uuid and s.ordinal > ${parameters.bind(after)}`,
         regionCondition({ tenant: caller.tenant, visibility: visible(caller) }, 'm', parameters),
         `m.state in ('active', 'archived')`,
       ])}
       order by s.ordinal limit ${parameters.bind(limit + 1)}`,
      parameters.values,
    );
    const shown = rows.slice(0, limit);
    const nextCursor = rows.length > limit ? writeCursor(String(shown.at(-1)!.ordinal), bound) : undefined;
    return { items: shown.map(memoryOf), nextCursor, position: view.position };
  });
}
