import type { MemoryState, MemoryValue } from '../domain/memory/memory.ts';
import { viewOf, type Counters, type MemoryView } from '../domain/memory/view.ts';

/** The columns that make a memory as callers see it, from the memories table `m` and the usage table `u`. */
export const memoryColumns = `m.tenant, m.memory_id, m.revision, m.from_position, m.from_time, m.created_at, m.state,
  m.retention_until, m.value, u.accesses, u.last_accessed_at`;

export interface MemoryRow extends Record<string, unknown> {
  tenant: string;
  memory_id: string;
  revision: number;
  from_position: number;
  from_time: Date;
  created_at: Date;
  state: 'active' | 'deleted';
  retention_until: Date | null;
  value: Omit<MemoryValue, 'id'>;
  accesses: number | null;
  last_accessed_at: Date | null;
}

export function joinUsage(usageTable: string): string {
  return `left join ${usageTable} u on u.tenant = m.tenant and u.memory_id = m.memory_id`;
}

export function memoryOf(row: MemoryRow): MemoryView {
  const value: MemoryValue = { id: row.memory_id, ...row.value };
  const state: Extract<MemoryState, { value: unknown }> =
    row.state === 'deleted'
      ? { status: 'deleted', value, retentionUntil: row.retention_until!.toISOString() }
      : { status: 'active', value };
  const snapshot = {
    state,
    revision: row.revision,
    position: row.from_position,
    createdAt: row.created_at,
    updatedAt: row.from_time,
  };
  return viewOf(row.tenant, snapshot, countersOf(row));
}

export function countersOf(row: Pick<MemoryRow, 'accesses' | 'last_accessed_at'>): Counters {
  return {
    accessCount: row.accesses ?? 0,
    ...(row.last_accessed_at && { lastAccessedAt: row.last_accessed_at.toISOString() }),
  };
}
