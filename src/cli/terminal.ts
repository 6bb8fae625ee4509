import { styleText } from 'node:util';
import type { DestinationStream } from 'pino';
import { printable } from './output.ts';

/** What a person wants to know of a server that started. */
export interface StartedServer {
  readonly version: string;
  readonly url: string;
  readonly profile: string;
  readonly roles: readonly string[];
  readonly data: string;
  readonly identity: 'development' | 'credentials';
}

/** A few lines for a person at a terminal. */
export function startText({ version, url, profile, roles, data, identity }: StartedServer): string {
  const isApi = roles.includes('api');
  const rows = [
    [isApi ? 'address' : 'health', isApi ? url : `${url}/readyz`],
    ...(isApi ? [['docs', `${url}/docs`]] : []),
    ['data', `${data} (profile ${profile})`],
    ...(isApi
      ? [
          [
            'identity',
            identity === 'development'
              ? 'development: everyone on this machine is tenant local, role admin, until the first key is created'
              : 'callers need an API key or a JWT',
          ],
        ]
      : [['roles', roles.join(', ')]]),
  ] as const;
  return [
    styleText('bold', `Stratalog ${version} is ready`),
    ...rows.map(([label, value]) => `  ${label.padEnd(9)} ${value}`),
    'Ctrl-C stops it.',
  ].join('\n');
}

interface LogEntry {
  readonly level: number;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly message?: string };
  readonly [field: string]: unknown;
}

const hidden = new Set(['level', 'time', 'pid', 'hostname', 'name', 'msg', 'err']);
const levels: Readonly<Record<number, string>> = {
  10: 'trace',
  20: 'debug',
  30: 'info',
  40: 'WARN',
  50: 'ERROR',
  60: 'FATAL',
};

/** One entry of the log in a line: time, level, message, cause, fields. */
export function logText({ level, time, msg = '', err, ...fields }: LogEntry): string {
  const at = new Date(time).toISOString().slice(11, 19);
  const cause = err?.message === undefined ? '' : `: ${err.message}`;
  const others = Object.entries(fields)
    .filter(([name]) => !hidden.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  return printable(`${at} ${(levels[level] ?? String(level)).padEnd(5)} ${msg}${cause}${others.join('')}`);
}

/** Writes the log for a person. */
export const terminalLog: DestinationStream = {
  write(line) {
    process.stderr.write(`${logText(JSON.parse(line) as LogEntry)}\n`);
  },
};
