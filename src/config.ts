import path from 'node:path';
import { z } from 'zod';
import { clusterOf, clusterSettings, type ClusterConfig } from './config-cluster.ts';
import { ceilingsOf, limitSettings, turnsOf } from './config-limits.ts';
import { modelSettings, modelsOf, type ModelsConfig } from './config-models.ts';
import { sourceSettings, sourcesOf, type SourcesConfig } from './config-sources.ts';
import { tlogOf, tlogSettings, type TlogConfig } from './config-tlog.ts';
import { ConfigError, integer, isKeySetOrAddress, list, postgresUrl, secret } from './config-values.ts';
import type { Ceilings } from './domain/admission/ceilings.ts';
import type { TurnOptions } from './domain/admission/turn-options.ts';
import { inOwnWords } from './domain/input/issue-words.ts';
import { environments, processRoles, profiles, type Environment, type ProcessRole } from './profiles.ts';

export { ConfigError } from './config-values.ts';

/** All environment variables. The configuration reference is generated from their descriptions. */
export const settings = z.object({
  STRATALOG_PROFILE: z
    .enum(profiles)
    .default('embedded')
    .describe('Where data is stored: embedded in this process, or on servers'),
  STRATALOG_ENV: z
    .enum(environments)
    .default('development')
    .describe(
      'What this installation is for. The server behaves the same in all of them; the console marks production on every page',
    ),
  STRATALOG_ROLES: z
    .string()
    .default('')
    .transform(list)
    .pipe(z.array(z.enum(processRoles)))
    .describe('Roles of this process, comma separated: api, relay, projector, worker. Default: all'),
  STRATALOG_DATA: z
    .string()
    .min(1)
    .default('./.stratalog')
    .describe('Folder for the data of the profile embedded and for the vault key'),
  STRATALOG_HOST: z.string().min(1).default('127.0.0.1').describe('Address to listen on'),
  STRATALOG_PORT: integer(0, 65_535)
    .optional()
    .describe(
      'Port to listen on; 0 means any free port. Default: 8080, or a free port for the health endpoints of a process without the role api',
    ),
  STRATALOG_METRICS_PORT: integer(0, 65_535)
    .optional()
    .describe(
      'Port of its own for `/metrics`, with `/livez` and `/readyz`, without a credential; the port of the API then has no metrics. Default: the port of the API, where a host other than loopback needs a key of role operator, auditor or admin',
    ),
  STRATALOG_CONSOLE: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether the web console is served at `/console` on the port of the API'),
  // Sent as a bearer token in a header, so only visible ASCII is allowed.
  STRATALOG_MASTER_KEY: secret(16)
    .regex(/^[\x21-\x7e]*$/, 'must be of visible ASCII characters, without spaces and line ends')
    .optional()
    .describe('Key that may only create tenants and keys; setting it turns the development identity off'),
  STRATALOG_VAULT_KEY: secret(40)
    .optional()
    .describe('Key of the key vault, 32 bytes in base64. Default: the file vault.key in the data folder'),
  STRATALOG_POSTGRES_URL: postgresUrl()
    .default('postgres://stratalog:stratalog@127.0.0.1:54329/stratalog')
    .describe(
      'URL of PostgreSQL 18 with the extension vector, and in the profile postgres also pg_textsearch. TLS: `?sslmode=verify-full&sslrootcert=/path/ca.pem`',
    ),
  ...clusterSettings,
  ...modelSettings,
  STRATALOG_OUTCOME_WINDOW: integer(1, 604_800)
    .default(1_800)
    .describe('Seconds after which a search in a session counts as ignored if none of its results was used'),
  ...tlogSettings,
  ...sourceSettings,
  ...limitSettings,
  STRATALOG_ERASED_FILES_WITHIN: integer(1, 2_592_000)
    .default(3_600)
    .describe(
      'Seconds within which the files of the database are rewritten after an erasure, so that they have no byte left of it',
    ),
  STRATALOG_JWT_ISSUER: z.string().min(1).optional().describe('Issuer of accepted JWTs'),
  STRATALOG_JWT_AUDIENCE: z.string().min(1).optional().describe('Audience that accepted JWTs must name'),
  STRATALOG_JWT_JWKS: z
    .string()
    .refine(isKeySetOrAddress, 'must be an http or https URL or a JSON Web Key Set')
    .optional()
    .describe('Keys that verify JWTs: the URL of a JSON Web Key Set, or the key set itself'),
  STRATALOG_TRACES: z
    .enum(['off', 'otlp'])
    .default('off')
    .describe(
      "Whether spans of requests, the log, the database, Kafka, OpenSearch and models are recorded and sent by OTLP over HTTP, as OpenTelemetry's own variables say: `OTEL_EXPORTER_OTLP_ENDPOINT` (default: http://localhost:4318), `OTEL_TRACES_SAMPLER` and others",
    ),
  STRATALOG_LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('Lowest level of messages that are logged'),
});

type Settings = z.infer<typeof settings>;

export interface Config extends ClusterConfig, ModelsConfig {
  readonly profile: (typeof profiles)[number];
  readonly environment: Environment;
  /** Roles of this process; never empty. */
  readonly roles: readonly ProcessRole[];
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** Port of the metrics; undefined: that of the API. */
  readonly metricsPort: number | undefined;
  /** Whether the API serves the web console. */
  readonly console: boolean;
  readonly masterKey: string | undefined;
  readonly vaultKey: string | undefined;
  readonly postgresUrl: string;
  readonly outcomeWindowMs: number;
  readonly tlog: TlogConfig;
  readonly sources: SourcesConfig;
  /** How many costly requests a process works on at a time, and how many may wait. */
  readonly turns: TurnOptions;
  /** How many costly calls of each kind a credential may have under way. */
  readonly ceilings: Ceilings;
  /** Events by which vectors may lag before bulk stores are held back. */
  readonly maxVectorLag: number;
  readonly erasedFilesWithinMs: number;
  readonly jwt: { readonly issuer: string; readonly audience: string; readonly jwks: string } | undefined;
  /** Whether spans are recorded. */
  readonly traces: boolean;
  readonly logLevel: Settings['STRATALOG_LOG_LEVEL'];
}

/** Variables with our prefix that we do not define, usually misspelled. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  const ours = new Set([
    ...Object.keys(settings.shape),
    'STRATALOG_URL',
    'STRATALOG_API_KEY',
    'STRATALOG_ON_BEHALF_OF',
  ]);
  return Object.keys(environment).filter((name) => name.startsWith('STRATALOG_') && !ours.has(name));
}

/** Reads the environment. Throws `ConfigError` with the name of each invalid variable and the values that it accepts. */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const own = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = settings.safeParse(own, { error: inOwnWords });
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path: [name], message }) => `${String(name)}: ${message}`);
    throw new ConfigError(faults.join('\n'));
  }
  const values = parsed.data;
  const roles = rolesOf(values);
  return {
    profile: values.STRATALOG_PROFILE,
    environment: values.STRATALOG_ENV,
    roles,
    dataDir: path.resolve(values.STRATALOG_DATA),
    host: values.STRATALOG_HOST,
    port: values.STRATALOG_PORT ?? (roles.includes('api') ? 8_080 : 0),
    metricsPort: values.STRATALOG_METRICS_PORT,
    console: values.STRATALOG_CONSOLE === 'on',
    masterKey: values.STRATALOG_MASTER_KEY,
    vaultKey: values.STRATALOG_VAULT_KEY,
    postgresUrl: values.STRATALOG_POSTGRES_URL,
    ...clusterOf(values),
    ...modelsOf(values),
    outcomeWindowMs: values.STRATALOG_OUTCOME_WINDOW * 1_000,
    tlog: tlogOf(values),
    sources: sourcesOf(values),
    turns: turnsOf(values),
    ceilings: ceilingsOf(values),
    maxVectorLag: values.STRATALOG_MAX_VECTOR_LAG,
    erasedFilesWithinMs: values.STRATALOG_ERASED_FILES_WITHIN * 1_000,
    jwt: jwtOf(values),
    traces: values.STRATALOG_TRACES === 'otlp',
    logLevel: values.STRATALOG_LOG_LEVEL,
  };
}

/** The named roles that the profile has, or all roles of the profile if none is named. */
function rolesOf({ STRATALOG_PROFILE: profile, STRATALOG_ROLES: named }: Settings): ProcessRole[] {
  const own = processRoles.filter((role) => role !== 'relay' || profile === 'cluster');
  if (named.length === 0) return own;
  const chosen = own.filter((role) => named.includes(role));
  if (chosen.length === 0) throw new ConfigError('STRATALOG_ROLES: only the profile cluster has a relay');
  if (profile === 'embedded' && chosen.length < own.length)
    throw new ConfigError(`STRATALOG_ROLES: the profile embedded is one process with ${own.join(', ')}`);
  return chosen;
}

function jwtOf(values: Settings): Config['jwt'] {
  const { STRATALOG_JWT_ISSUER: issuer, STRATALOG_JWT_AUDIENCE: audience, STRATALOG_JWT_JWKS: jwks } = values;
  if (!issuer && !audience && !jwks) return undefined;
  if (!issuer || !audience || !jwks) {
    throw new ConfigError(
      'STRATALOG_JWT_ISSUER, STRATALOG_JWT_AUDIENCE and STRATALOG_JWT_JWKS are set together or not at all',
    );
  }
  return { issuer, audience, jwks };
}
