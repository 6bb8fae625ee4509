import type { SqlExecutor, SqlValue } from '../../src/ports/sql.ts';

interface Plan {
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Plan[];
}

/** The number of rows of a table that a statement reads with its plan. Runs the statement again to count them. */
export async function countRowsRead(
  executor: SqlExecutor,
  table: string,
  text: string,
  params?: readonly SqlValue[],
): Promise<number> {
  const [row] = await executor.query<{ 'QUERY PLAN': readonly { Plan: Plan }[] }>(
    `explain (analyze, format json) ${text}`,
    params,
  );
  return rowsReadIn(row!['QUERY PLAN'][0]!.Plan, table);
}

function rowsReadIn(plan: Plan, table: string): number {
  const own =
    plan['Relation Name'] === table
      ? (plan['Actual Rows'] + (plan['Rows Removed by Filter'] ?? 0)) * plan['Actual Loops']
      : 0;
  return (plan.Plans ?? []).reduce((sum, part) => sum + rowsReadIn(part, table), own);
}
