import { Socket } from 'node:net';
import { Client } from 'pg';
import type { Inspection } from '../../ports/inspection.ts';
import type { SqlExecutor, SqlValue } from '../../ports/sql.ts';
import { queryRole } from '../sql/begin.ts';
import { translate } from './errors.ts';
import { leastVersion } from './login.ts';

/** Product and version; rejects with `SqlUnavailable` or `SqlError`. */
export function askPostgres(url: string, answerMs: number): Promise<string> {
  return withClient(url, answerMs, async (client) => `PostgreSQL ${(await versionOf(client)).name}`);
}

/** Runs `read` on a connection of its own, without preparing the database as `openPostgres` does. Rejects as `askPostgres` does. */
export function readPostgres<T>(
  url: string,
  answerMs: number,
  read: (sql: SqlExecutor) => Promise<T>,
): Promise<T> {
  return withClient(url, answerMs, (client) =>
    read({
      async query<R>(text: string, params: readonly SqlValue[] = []) {
        const { rows } = await client.query(text, [...params]);
        return rows as R[];
      },
    }),
  );
}

/** Finds out what `openPostgres` would miss and could not create with this login. Changes nothing. */
export function inspectPostgres(
  url: string,
  extensions: readonly string[],
  answerMs: number,
): Promise<Inspection> {
  return withClient(url, answerMs, async (client) => {
    const version = await versionOf(client);
    const missing: string[] = [];
    const notes: string[] = [];
    if (version.number < leastVersion) missing.push(`PostgreSQL ${leastVersion / 10_000} or later`);
    const role = await queryRoleOf(client);
    if (!role.usable) {
      const statements = `create role ${queryRole} nologin; grant ${queryRole} to ${client.escapeIdentifier(role.login)};`;
      if (role.mayMake) notes.push(`the role ${queryRole} will be created at the first start`);
      else missing.push(`the role ${queryRole}; as a superuser: ${statements}`);
    }
    for (const name of extensions) {
      const { there, available, mayMake } = await extensionOf(client, name);
      if (there) continue;
      if (!available) missing.push(`the extension ${name}: it is not installed on the server`);
      else if (mayMake) notes.push(`the extension ${name} will be created at the first start`);
      else missing.push(`the extension ${name}; as a superuser, in this database: create extension ${name};`);
    }
    if (role.bypasses)
      notes.push(`row-level security does not apply to the login ${role.login}: use another`);
    return { version: `PostgreSQL ${version.name}`, missing, notes };
  });
}

async function versionOf(client: Client): Promise<{ name: string; number: number }> {
  const { rows } = await client.query<{ name: string; number: number }>(
    `select split_part(current_setting('server_version'), ' ', 1) as name,
      current_setting('server_version_num')::int as number`,
  );
  return rows[0]!;
}

interface QueryRole {
  readonly login: string;
  readonly usable: boolean;
  readonly mayMake: boolean;
  readonly bypasses: boolean;
}

async function queryRoleOf(client: Client): Promise<QueryRole> {
  const { rows } = await client.query<QueryRole>(
    `select login.rolname as login, login.rolsuper or login.rolbypassrls as bypasses,
      coalesce(pg_has_role(login.oid, role.oid, 'SET'), false) as usable,
      login.rolsuper or (login.rolcreaterole and role.oid is null) as "mayMake"
    from pg_roles as login left join pg_roles as role on role.rolname = $1
    where login.rolname = current_user`,
    [queryRole],
  );
  return rows[0]!;
}

interface Extension {
  readonly there: boolean;
  readonly available: boolean;
  readonly mayMake: boolean;
}

async function extensionOf(client: Client, name: string): Promise<Extension> {
  const { rows } = await client.query<Extension>(
    `select exists (select from pg_extension where extname = $1) as there,
      exists (select from pg_available_extensions where name = $1) as available,
      (select rolsuper from pg_roles where rolname = current_user)
        or (has_database_privilege(current_database(), 'CREATE')
          and exists (select from pg_available_extension_versions where name = $1 and trusted)) as "mayMake"`,
    [name],
  );
  return rows[0]!;
}

async function withClient<T>(
  url: string,
  answerMs: number,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  // Our own socket, because the driver would wait for a frozen server when disconnecting.
  const socket = new Socket();
  try {
    const client = new Client({
      connectionString: url,
      application_name: 'stratalog doctor',
      connectionTimeoutMillis: answerMs,
      query_timeout: answerMs,
      stream: () => socket,
    });
    client.on('error', () => {});
    await client.connect();
    return await work(client);
  } catch (error) {
    throw translate(error);
  } finally {
    socket.destroy();
  }
}
