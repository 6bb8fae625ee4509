import type { Parameters } from '../sql-builder.ts';

/**
 * SQL for lookups by primary key of the memories in the table `of`. The limit keeps the planner from another kind of join, whatever
 * its statistics of the tables say.
 */
export function lookupsOf(tenant: string, parameters: Parameters) {
  const own = parameters.bind(tenant);
  return (columns: string, table: string, condition = 'true', of = 'found') =>
    `lateral (select ${columns} from ${table} t
      where t.tenant = ${own} and t.memory_id = ${of}.memory_id and ${condition} limit 1)`;
}
