import { Command, Option } from 'commander';
import { roles } from '../domain/access/context.ts';
import type { ApiKey, CreateKey } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { printJson, table } from './output.ts';

interface KeyOptions {
  readonly tenant?: string;
  readonly role: CreateKey['role'];
  readonly user?: string;
  readonly org?: string[];
  readonly team?: string[];
  readonly project?: string[];
  readonly session?: string[];
  readonly agent?: string[];
  readonly users?: string[];
  readonly name?: string;
  readonly expires?: string;
}

const repeated = (value: string, former: string[] = []) => [...former, value];

export function keysCommand(): Command {
  const keys = new Command('keys').description('Create, list and revoke API keys');
  keys
    .command('create')
    .description('Create a key and show it once. The first key of a tenant needs the master key')
    .option('--tenant <tenant>', 'tenant of the key; default: the tenant of the credential')
    .addOption(
      new Option('--role <role>', 'role of the key, which decides what it may do')
        .choices(roles)
        .default('member'),
    )
    .option('--user <user>', 'user that the key belongs to')
    .option('--org <org>', 'org that the key belongs to (repeatable)', repeated)
    .option('--team <team>', 'team that the key belongs to (repeatable)', repeated)
    .option('--project <project>', 'project that the key belongs to (repeatable)', repeated)
    .option('--session <session>', 'session that the key may see (repeatable)', repeated)
    .option('--agent <agent>', 'agent that the key speaks for (repeatable)', repeated)
    .option(
      '--users <users>',
      'users that a key of role agent serves: a name, a prefix*, or * for all (repeatable)',
      repeated,
    )
    .option('--name <name>', 'display name of the key')
    .option('--expires <time>', 'time at which the key expires, RFC 3339')
    .action(async (options: KeyOptions, command: Command) => {
      const { client, json } = connect(command);
      const {
        org: orgs,
        team: teams,
        project: projects,
        session: sessions,
        agent: agents,
        users,
        expires: expiresAt,
        ...rest
      } = options;
      const { tenant, role, user, name } = rest;
      const body = { tenant, role, user, name, orgs, teams, projects, sessions, agents, users, expiresAt };
      const created = await client.admin.keys.create(body);
      if (json) return printJson(created);
      console.log(created.key);
      console.error('Store it now: it is not shown again.');
    });
  keys
    .command('list')
    .description('List the keys of the tenant, without their secrets')
    .action(async (_, command: Command) => {
      const { client, json } = connect(command);
      const items = await client.admin.keys.list().toArray();
      if (json) return printJson(items);
      const state = (key: ApiKey) =>
        key.revokedAt ? `revoked ${key.revokedAt}` : key.expiresAt ? `until ${key.expiresAt}` : 'valid';
      const rows = items.map((key) => [
        key.id,
        key.role,
        key.user ?? '',
        key.name ?? '',
        key.createdAt,
        state(key),
      ]);
      console.log(table([['id', 'role', 'user', 'name', 'created', 'state'], ...rows]));
    });
  keys
    .command('revoke')
    .description('Revoke a key')
    .argument('<id>')
    .action(async (id: string, _, command: Command) => {
      const { client, json } = connect(command);
      const answer = await client.admin.keys.revoke(id);
      if (json) return printJson(answer);
      console.log(`${id} is revoked`);
    });
  return keys;
}
