import type { Parameters } from '../sql-builder.ts';

/** Lookups by primary key of what stands in `of`, whatever the planner believes of the tables: a limit keeps it from joining at large. */
export function lookupsOf(tenant: string, parameters: Parameters) {
  const own = parameters.bind(tenant);
  return (columns: string, table: string, condition = 'true', of = 'found') =>
    `lateral (select ${columns} from ${table} t
      where t.tenant = ${own} and t.memory_id = ${of}.memory_id and ${condition} limit 1)`;
}
