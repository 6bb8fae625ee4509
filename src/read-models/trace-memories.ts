import { Table } from './table.ts';

/** Which traces of callers name a memory: they are erased with it. */
export const traceMemories = new Table('trace_memories', {
  columns: { tenant: 'text', memory_id: 'text', trace_id: 'text' },
  key: ['tenant', 'memory_id', 'trace_id'],
  // An erased trace removes all its rows.
  indexes: ['(tenant, trace_id)'],
});
