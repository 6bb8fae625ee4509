import type { ClientBase } from 'pg';
import { queryRole } from '../sql/begin.ts';
import { sqlState } from '../../ports/sql.ts';
import { PostgresNotPrepared } from './errors.ts';

/** The login role, and whether it has rights that exempt it from row-level security. */
export interface PostgresLogin {
  readonly role: string;
  readonly superuser: boolean;
  readonly bypassesRowSecurity: boolean;
}

/** Minimum `server_version_num`. */
export const leastVersion = 180_000;

/**
 * Checks for the query role and the extensions, and creates them if this login may. Otherwise rejects with
 * `PostgresNotPrepared`, whose message has the statements that a superuser must run once.
 */
export async function prepareLogin(
  client: ClientBase,
  extensions: readonly string[],
): Promise<PostgresLogin> {
  const login = await readLogin(client);
  if (!(await mayBecomeQueryRole(client))) {
    const statements = [
      `create role ${queryRole} nologin`,
      `grant ${queryRole} to ${client.escapeIdentifier(login.role)}`,
    ];
    await ensure(client, statements, `the role ${queryRole}`, () => mayBecomeQueryRole(client));
  }
  for (const name of extensions)
    if (!(await hasExtension(client, name)))
      await ensure(client, [`create extension ${name}`], `the extension ${name}`, () =>
        hasExtension(client, name),
      );
  return login;
}

async function readLogin(client: ClientBase): Promise<PostgresLogin> {
  const { rows } = await client.query<{ role: string; superuser: boolean; bypass: boolean; version: number }>(
    `select rolname as role, rolsuper as superuser, rolbypassrls as bypass,
      current_setting('server_version_num')::int as version
    from pg_roles where rolname = current_user`,
  );
  const { role, superuser, bypass, version } = rows[0]!;
  if (version < leastVersion)
    throw new PostgresNotPrepared(
      `the server is PostgreSQL ${Math.floor(version / 10_000)}: 18 or later is required`,
    );
  return { role, superuser, bypassesRowSecurity: superuser || bypass };
}

async function mayBecomeQueryRole(client: ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ may: boolean }>(
    `select pg_has_role(current_user, oid, 'SET') as may from pg_roles where rolname = '${queryRole}'`,
  );
  return rows[0]?.may ?? false;
}

async function hasExtension(client: ClientBase, name: string): Promise<boolean> {
  const { rowCount } = await client.query('select from pg_extension where extname = $1', [name]);
  return rowCount === 1;
}

/** Runs the statements one by one and ignores their errors if the result exists: another process may do the same. */
async function ensure(
  client: ClientBase,
  statements: readonly string[],
  what: string,
  there: () => Promise<boolean>,
): Promise<void> {
  let reason = '';
  for (const statement of statements)
    await client.query(statement).catch((error: Error) => {
      if (sqlState(error) === undefined) throw error;
      reason = error.message;
    });
  if (await there()) return;
  throw new PostgresNotPrepared(
    `${what} is missing and cannot be created with this login (${reason}). As a superuser, in this database: ${statements.join('; ')};`,
  );
}
