import { InvalidArgumentError, Option } from 'commander';
import { processRoles, profiles } from '../profiles.ts';

export const profileOption = (): Option =>
  new Option('--profile <profile>', 'where data is stored (STRATALOG_PROFILE)').choices(profiles);

export const portOption = (description = 'port to listen on (STRATALOG_PORT)'): Option =>
  new Option('--port <port>', description).argParser(portText);

export const roleOption = (): Option =>
  new Option(
    '--role <roles>',
    `roles of this process, comma separated: ${processRoles.join(', ')}; default: all (STRATALOG_ROLES)`,
  ).argParser(rolesText);

function rolesText(text: string): string {
  const known: readonly string[] = processRoles;
  const named = text.split(',').map((role) => role.trim());
  if (!named.every((role) => role === '' || known.includes(role)))
    throw new InvalidArgumentError(`Allowed choices are ${processRoles.join(', ')}, comma separated.`);
  return text;
}

function portText(text: string): string {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    throw new InvalidArgumentError('It must be an integer from 0 to 65535.');
  return text;
}

/** Options of the commands that start the server or check its configuration. */
export interface ServeOptions {
  readonly profile?: string;
  readonly role?: string;
  readonly data?: string;
  readonly host?: string;
  readonly port?: string;
}

/** The environment, overridden by the options. */
export function environmentWith({ profile, role, data, host, port }: ServeOptions): NodeJS.ProcessEnv {
  const chosen = {
    STRATALOG_PROFILE: profile,
    STRATALOG_ROLES: role,
    STRATALOG_DATA: data,
    STRATALOG_HOST: host,
    STRATALOG_PORT: port,
  };
  const given = Object.entries(chosen).filter(([, value]) => value !== undefined);
  return { ...process.env, ...Object.fromEntries(given) };
}
