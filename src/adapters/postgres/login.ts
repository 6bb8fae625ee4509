import type { ClientBase } from 'pg';
import { queryRole } from '../sql/begin.ts';
import { sqlState } from '../../ports/sql.ts';
import { PostgresNotPrepared } from './errors.ts';

/** What the login role may do beyond what it should: row-level security does not bind such a role. */
export interface PostgresLogin {
  readonly role: string;
  readonly superuser: boolean;
  readonly bypassesRowSecurity: boolean;
}

/** As `server_version_num` has it. */
export const leastVersion = 180_000;

/**
 * Finds the query role and the extensions, or makes them where this login may. Rejects with `PostgresNotPrepared`,
 * naming the statements that a superuser has to run once.
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
      `the server is PostgreSQL ${Math.floor(version / 10_000)}: 18 or later is needed`,
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

/** Tries the statements one by one: another process may be doing the same, and some may be done already. */
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
    `${what} is missing and cannot be made with this login (${reason}). As a superuser, in this database: ${statements.join('; ')};`,
  );
}
