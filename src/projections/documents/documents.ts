import type { DocumentEvent } from '../../domain/documents/events.ts';
import type { LoadedEvent } from '../../ports/event-store.ts';
import { Table, type Tables } from '../../read-models/table.ts';
import { ofMemory, rowsWith } from '../holding.ts';
import { declaredBy, type Projection } from '../projection.ts';
import { scopeColumns, scopeRow } from '../scope-columns.ts';
import { insert, nothing, removeRows, statement, together, upsert, type Write } from '../write.ts';

const documentTable = new Table('documents', {
  columns: {
    tenant: 'text',
    document_id: 'uuid',
    ...scopeColumns,
    spaces: 'text[]',
    /** `stored`, `failed` or `deleted`. */
    state: 'text',
    content_type: 'text?',
    external_id: 'text?',
    source_uri: 'text?',
    title: 'text?',
    sha256: 'text',
    /** The mail that it was attached to. */
    parent: 'uuid?',
  },
  key: ['tenant', 'document_id'],
  indexes: [
    '(tenant, external_id) where external_id is not null',
    '(tenant, parent) where parent is not null',
  ],
});
const sectionTable = new Table('document_sections', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    document_id: 'uuid',
    ordinal: 'integer',
    path: 'text[]',
    starts: 'integer',
    ends: 'integer',
    first_page: 'integer?',
    last_page: 'integer?',
    hidden: 'boolean?',
    uri: 'text?',
  },
  key: ['tenant', 'memory_id'],
  indexes: ['(tenant, document_id, ordinal)'],
});

/** Documents, and where each of their sections stands today. What else there is to know of a document is in its stream. */
export const documents: Projection = {
  name: 'documents',
  version: 2,
  handles: [
    'DocumentReceived',
    'DocumentPlanned',
    'DocumentRefused',
    'DocumentDeleted',
    'DocumentRestored',
    'DocumentErased',
  ],
  ...declaredBy(documentTable, sectionTable),
  plan: (events, _, tables) =>
    Promise.resolve(
      together(...(events as readonly LoadedEvent<DocumentEvent>[]).map((loaded) => write(loaded, tables))),
    ),
  holds: (tables) => rowsWith([tables(sectionTable.name), ofMemory]),
};

function write({ event, metadata: { tenant }, erased }: LoadedEvent<DocumentEvent>, tables: Tables): Write {
  const key = { tenant, document_id: event.data.documentId };
  switch (event.type) {
    case 'DocumentReceived':
    case 'DocumentRefused': {
      // What is unreadable is about to be erased.
      if (erased) return nothing;
      const { layer, scope, spaces, externalId, sourceUri, title, sha256, parent } = event.data;
      const isGood = event.type === 'DocumentReceived';
      const row = {
        ...key,
        ...scopeRow(layer, scope),
        spaces,
        state: isGood ? 'stored' : 'failed',
        content_type: isGood ? event.data.contentType : undefined,
        external_id: externalId,
        source_uri: sourceUri,
        title: title ?? event.data.filename,
        sha256,
        parent,
      };
      // The last good revision stays what it was.
      return isGood ? upsert(tables, documentTable, [row]) : insertNew(tables, row);
    }
    case 'DocumentPlanned': {
      if (erased) return nothing;
      const { from, sections } = event.data;
      const rows = sections.map(({ memoryId, path, start, end, pages, isHidden, uri }, index) => ({
        tenant,
        memory_id: memoryId,
        document_id: event.data.documentId,
        ordinal: from + index,
        path,
        starts: start,
        ends: end,
        first_page: pages?.[0],
        last_page: pages?.[1],
        hidden: isHidden,
        uri,
      }));
      const replaced = from === 0 ? removeSections(tables, key) : nothing;
      return together(replaced, upsert(tables, sectionTable, rows));
    }
    case 'DocumentDeleted':
      return setState(tables, key, 'deleted');
    case 'DocumentRestored':
      return setState(tables, key, 'stored');
    case 'DocumentErased':
      return together(removeRows(tables, documentTable, [key]), removeSections(tables, key));
    default:
      return nothing;
  }
}

interface Key {
  readonly tenant: string;
  readonly document_id: string;
}

function insertNew(tables: Tables, row: object): Write {
  return insert(tables(documentTable.name), documentTable.rows, [row], 'on conflict do nothing');
}

function removeSections(tables: Tables, { tenant, document_id }: Key): Write {
  return statement(`delete from ${tables(sectionTable.name)} where tenant = $1 and document_id = $2::uuid`, [
    tenant,
    document_id,
  ]);
}

function setState(tables: Tables, { tenant, document_id }: Key, state: string): Write {
  return statement(
    `update ${tables(documentTable.name)} set state = $3 where tenant = $1 and document_id = $2::uuid`,
    [tenant, document_id, state],
  );
}
