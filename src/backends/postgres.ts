import type { PostgresOptions } from '../adapters/postgres/postgres.ts';
import type { Config } from '../config.ts';
import { readPemFile } from './files.ts';

const files = ['sslrootcert', 'sslcert', 'sslkey'];

/** Options for `openPostgres`. Throws `ConfigError` if a certificate cannot be read. */
export function postgresOptions(
  { profile, postgresUrl }: Config,
  onNotice?: NonNullable<PostgresOptions['onNotice']>,
): PostgresOptions & { readonly extensions: readonly string[] } {
  for (const [name, file] of new URL(postgresUrl).searchParams)
    if (files.includes(name)) readPemFile(`STRATALOG_POSTGRES_URL, ${name}`, file);
  return {
    url: postgresUrl,
    // The profile cluster searches words in OpenSearch.
    extensions: profile === 'cluster' ? ['vector'] : ['vector', 'pg_textsearch'],
    ...(onNotice && { onNotice }),
  };
}
