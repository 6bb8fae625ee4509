import path from 'node:path';
import { z } from 'zod';
import { list } from './config-values.ts';
import { isAllowedEntry } from './support/net/allowed-hosts.ts';

/** Settings of sources: what the server may read by itself. */
export const sourceSettings = {
  STRATALOG_FETCH_ALLOW: z
    .string()
    .default('')
    .transform(list)
    .refine((entries) => entries.every(isAllowedEntry), {
      message: 'must be hosts, host:port, addresses or subnets such as 10.1.0.0/16, comma separated',
    })
    .describe(
      'Hosts that [sources](../guides/documents.md#sources-on-a-schedule) may fetch although their addresses are not public: hosts, host:port, addresses or subnets, comma separated, such as wiki.internal:8443,10.1.0.0/16. Default: none',
    ),
  STRATALOG_INGEST_ROOTS: z
    .string()
    .default('')
    .transform(list)
    .refine((folders) => folders.every((folder) => path.isAbsolute(folder)), {
      message: 'must be absolute paths, comma separated',
    })
    .describe(
      'Folders of the server that sources of the type directory may read, with all below them: absolute paths, comma separated. Default: none',
    ),
};

type Settings = z.infer<z.ZodObject<typeof sourceSettings>>;

export interface SourcesConfig {
  /** Hosts and subnets that may be fetched although they are not public. */
  readonly fetchAllow: readonly string[];
  /** Folders that may be read. */
  readonly ingestRoots: readonly string[];
}

export function sourcesOf(values: Settings): SourcesConfig {
  return {
    fetchAllow: values.STRATALOG_FETCH_ALLOW,
    ingestRoots: values.STRATALOG_INGEST_ROOTS.map((folder) => path.resolve(folder)),
  };
}
