import type { KurrentOptions } from '../adapters/kurrentdb/kurrent-event-log.ts';
import type { Config } from '../config.ts';
import { readPemFile } from './files.ts';

const files = ['tlsCAFile', 'userCertFile', 'userKeyFile'];

/** Options for `openKurrentEventLog`. Throws `ConfigError` if a certificate cannot be read. */
export function eventStoreOptions({ eventStoreUrl }: Config): KurrentOptions {
  const options = new URLSearchParams(eventStoreUrl.split('?')[1]);
  // The client reads these files itself, and its errors do not name the setting.
  for (const [name, file] of options)
    if (files.includes(name)) readPemFile(`STRATALOG_EVENTSTORE_URL, ${name}`, file);
  return { connectionString: eventStoreUrl };
}
