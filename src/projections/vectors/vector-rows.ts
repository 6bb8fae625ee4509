import { Table, type Row } from '../../read-models/table.ts';
import { scopeColumns } from '../scope-columns.ts';

/** Which text of each memory has a vector in a generation, by the hash of the text, and how many passages it has. */
export const vectorRows = new Table('vectors', {
  columns: {
    tenant: 'text',
    memory_id: 'uuid',
    revision: 'integer',
    ...scopeColumns,
    text_hash: 'text',
    passages: 'integer',
    active: 'boolean',
  },
  key: ['tenant', 'memory_id'],
});

export type VectorRow = Row<typeof vectorRows>;
