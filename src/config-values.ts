import { createLocalJWKSet, type JSONWebKeySet } from 'jose';
import { z } from 'zod';

/** A setting is invalid. The message names the setting and the values that it accepts; the process does not start. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/** A URL with a single host, such as the base URL of a service. */
export function url(...protocols: string[]) {
  return z.string().refine((value) => URL.canParse(value) && protocols.includes(new URL(value).protocol), {
    message: `must be a URL that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
  });
}

/** An HTTP URL without user and password: they would appear in logs, and `fetch` refuses them. */
export function endpointUrl(instead: string) {
  return url('http:', 'https:').refine(
    (value) => !URL.canParse(value) || (new URL(value).username === '' && new URL(value).password === ''),
    { message: `must not contain a user or password: set ${instead} instead` },
  );
}

export const secret = (least: number) => z.string().min(least, `must have at least ${least} characters`);

export const integer = (least: number, most: number) => {
  const error = `must be an integer from ${least} to ${most}`;
  return z.coerce.number({ error }).int({ error }).min(least, { error }).max(most, { error });
};

/** Whether the text is the URL of an issuer's keys, or the JSON Web Key Set itself. */
export function isKeySetOrAddress(text: string): boolean {
  if (!text.startsWith('{')) return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  try {
    createLocalJWKSet(JSON.parse(text) as JSONWebKeySet);
    return true;
  } catch {
    return false;
  }
}

export const flag = () => z.enum(['true', 'false']).transform((text) => text === 'true');

/** Splits a comma-separated list and drops empty entries. */
export function list(text: string): string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

const sslModes = ['disable', 'verify-full', 'no-verify', 'prefer', 'require', 'verify-ca'];

export const postgresUrl = () =>
  url('postgres:', 'postgresql:').refine(
    (value) => {
      const mode = URL.canParse(value) ? new URL(value).searchParams.get('sslmode') : null;
      return mode === null || sslModes.includes(mode);
    },
    `sslmode must be one of ${sslModes.join(', ')}`,
  );

/** Options that the event store's client knows. For any other it logs a warning with the whole URL, including the password. */
const eventStoreOptions = [
  'connectionName',
  'defaultDeadline',
  'discoveryInterval',
  'gossipTimeout',
  'keepAliveInterval',
  'keepAliveTimeout',
  'maxDiscoverAttempts',
  'nodePreference',
  'tls',
  'tlsCAFile',
  'userCertFile',
  'userKeyFile',
];
const eventStoreForm =
  /^(esdb|kurrentdb)(\+discover)?:\/\/([^:@/?\s]+:[^:@/?\s]+@)?[^:@/?,\s]+(:\d+)?(,[^:@/?,\s]+(:\d+)?)*\/?(\?[^?\s]*)?$/;

/** `esdb://user:password@host:port,host:port?option=value`, or `kurrentdb://`. Not a WHATWG URL, because it can list several hosts. */
export const eventStoreUrl = () =>
  z.string().superRefine((value, context) => {
    const complain = (message: string): void => context.addIssue({ code: 'custom', message });
    if (!eventStoreForm.test(value))
      return complain(
        'must be esdb://[user:password@]host:2113[,host:2113][?tls=false|tlsCAFile=…], or esdb+discover:// for a name that resolves to a cluster; user and password are percent-encoded',
      );
    const options = new URLSearchParams(value.split('?')[1]);
    for (const [name, content] of options) {
      if (!eventStoreOptions.includes(name))
        complain(`has no option ${name}; it takes ${eventStoreOptions.join(', ')}`);
      else if (name === 'tls' && !['true', 'false'].includes(content))
        complain('the option tls must be true or false');
    }
  });

/** One or more `http(s)://[user:password@]host:port` of one cluster, all with the same credentials. */
export const openSearchUrls = () =>
  z.string().superRefine((text, context) => {
    const urls = list(text);
    const valid = urls.every(
      (value) => URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol),
    );
    if (!valid || urls.length === 0)
      context.addIssue({
        code: 'custom',
        message:
          'must be one or several URLs that begin with http:// or https://, comma separated; user and password are percent-encoded',
      });
    else if (new Set(urls.map(credentialsOf)).size > 1)
      context.addIssue({ code: 'custom', message: 'every URL must have the same user and password' });
  });

function credentialsOf(value: string): string {
  const { username, password } = new URL(value);
  return `${username}:${password}`;
}

export const brokers = () =>
  z
    .string()
    .default('127.0.0.1:9092')
    .transform(list)
    .refine(
      (entries) =>
        entries.length > 0 && entries.every((entry) => /^(\[[^\]]+\]|[^:/@\s]+):\d{1,5}$/.test(entry)),
      'must be host:port of one or several brokers, comma separated',
    );
