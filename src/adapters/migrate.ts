import type { Sql } from '../ports/sql.ts';
import { splitStatements } from './sql/statements.ts';

/** The database was written by a newer version of this program; this version would damage it. */
export class SchemaTooNew extends Error {
  override readonly name = 'SchemaTooNew';
}

const advisoryLock = 727_001;

/**
 * Migrates the tables of one component: runs the scripts that have not run yet, once and in order. Safe if several processes
 * start at the same time.
 */
export async function migrate(sql: Sql, component: string, scripts: readonly string[]): Promise<void> {
  await sql.transaction(async (tx) => {
    await tx.query('select pg_advisory_xact_lock($1)', [advisoryLock]);
    await tx.query('create schema if not exists control');
    await tx.query(
      'create table if not exists control.migrations (component text, version integer, at timestamptz not null default now(), primary key (component, version))',
    );
    const rows = await tx.query<{ version: number | null }>(
      'select max(version) as version from control.migrations where component = $1',
      [component],
    );
    const done = rows[0]?.version ?? 0;
    if (done > scripts.length) {
      throw new SchemaTooNew(
        `${component} is at version ${done}, this program supports ${scripts.length}: start a newer Stratalog on this data`,
      );
    }
    for (const [index, script] of scripts.entries()) {
      if (index < done) continue;
      for (const statement of splitStatements(script)) await tx.query(statement);
      await tx.query('insert into control.migrations (component, version) values ($1, $2)', [
        component,
        index + 1,
      ]);
    }
  });
}
