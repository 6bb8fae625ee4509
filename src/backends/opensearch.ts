import type { OpenSearchOptions } from '../adapters/opensearch/opensearch.ts';
import type { Config } from '../config.ts';
import { readPemFile } from './files.ts';

/** Options for `openOpenSearch`. Throws `ConfigError` if the certificate cannot be read. */
export function openSearchOptions({ openSearch }: Config): OpenSearchOptions & { readonly prefix: string } {
  const { urls, login, caFile, indexPrefix } = openSearch;
  return {
    url: urls,
    prefix: indexPrefix,
    ...(login && { auth: login }),
    ...(caFile !== undefined && { tls: { ca: readPemFile('STRATALOG_OPENSEARCH_CA_FILE', caFile) } }),
  };
}
