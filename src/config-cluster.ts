import { z } from 'zod';
import { brokers, ConfigError, eventStoreUrl, flag, integer, list, openSearchUrls } from './config-values.ts';
import { defaultTopicPrefix } from './domain/contract/topics.ts';

/** Settings of the cluster profile's servers, except PostgreSQL, whose setting the postgres profile shares. */
export const clusterSettings = {
  STRATALOG_EVENTSTORE_URL: eventStoreUrl()
    .default('esdb://127.0.0.1:2113?tls=false')
    .describe(
      'URL of KurrentDB or EventStoreDB (profile cluster): `esdb://user:password@host:2113`, or `esdb+discover://`. TLS is on unless `tls=false`; `tlsCAFile=/path/ca.pem` names the certificate authority',
    ),
  STRATALOG_KAFKA_BROKERS: brokers().describe(
    'Kafka brokers (profile cluster): one or more `host:port`, comma separated',
  ),
  STRATALOG_KAFKA_TOPIC_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be 1 to 100 of A-Z, a-z, 0-9, ., _ and -')
    .default(defaultTopicPrefix)
    .describe('Prefix of the names of topics and consumer groups'),
  STRATALOG_KAFKA_REPLICAS: integer(1, 32)
    .optional()
    .describe('Number of replicas of new topics. Default: the setting of the brokers'),
  STRATALOG_KAFKA_TLS: flag()
    .optional()
    .describe(
      'Whether to connect to the brokers with TLS. Default: true if a certificate file is named, else false',
    ),
  STRATALOG_KAFKA_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM file of the authority that signed the certificates of the brokers. Default: the authorities that Node.js trusts',
    ),
  STRATALOG_KAFKA_CERT_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of the client certificate for the brokers'),
  STRATALOG_KAFKA_KEY_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('PEM file of the key of the client certificate'),
  STRATALOG_KAFKA_SASL_MECHANISM: z
    .enum(['plain', 'scram-sha-256', 'scram-sha-512'])
    .optional()
    .describe('SASL mechanism for the login to the brokers; requires user and password. Default: no login'),
  STRATALOG_KAFKA_USER: z.string().min(1).optional().describe('User name for the login to the brokers'),
  STRATALOG_KAFKA_PASSWORD: z.string().min(1).optional().describe('Password for the login to the brokers'),
  STRATALOG_OPENSEARCH_URL: openSearchUrls()
    .default('http://127.0.0.1:9200')
    .describe(
      'OpenSearch 2.19 (profile cluster): one or more `https://user:password@host:9200`, comma separated',
    ),
  STRATALOG_OPENSEARCH_CA_FILE: z
    .string()
    .min(1)
    .optional()
    .describe(
      'PEM file of the authority that signed the certificates of OpenSearch. Default: the authorities that Node.js trusts',
    ),
  STRATALOG_OPENSEARCH_INDEX_PREFIX: z
    .string()
    .regex(/^[a-z0-9][a-z0-9_-]{0,99}$/, 'must be 1 to 100 of a-z, 0-9, _ and -')
    .default('stratalog-lexical')
    .describe('Prefix of the names of indexes and aliases'),
};

type Settings = z.infer<z.ZodObject<typeof clusterSettings>>;

/** Addresses and connection settings of the cluster profile's servers. */
export interface ClusterConfig {
  /** In the form that the event store's client accepts. */
  readonly eventStoreUrl: string;
  readonly kafka: {
    readonly brokers: readonly string[];
    readonly topicPrefix: string;
    readonly replicas: number | undefined;
    /** If undefined, connections do not use TLS. */
    readonly tls:
      { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string } | undefined;
    readonly login:
      | {
          readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
          readonly username: string;
          readonly password: string;
        }
      | undefined;
  };
  readonly openSearch: {
    /** Without credentials. */
    readonly urls: readonly string[];
    readonly login: { readonly username: string; readonly password: string } | undefined;
    readonly caFile: string | undefined;
    readonly indexPrefix: string;
  };
}

/** Throws `ConfigError` if settings contradict each other. */
export function clusterOf(values: Settings): ClusterConfig {
  return {
    eventStoreUrl: values.STRATALOG_EVENTSTORE_URL.replace(/^kurrentdb/, 'esdb'),
    kafka: kafkaOf(values),
    openSearch: openSearchOf(values),
  };
}

function kafkaOf(values: Settings): ClusterConfig['kafka'] {
  const {
    STRATALOG_KAFKA_CA_FILE: caFile,
    STRATALOG_KAFKA_CERT_FILE: certFile,
    STRATALOG_KAFKA_KEY_FILE: keyFile,
    STRATALOG_KAFKA_SASL_MECHANISM: mechanism,
    STRATALOG_KAFKA_USER: username,
    STRATALOG_KAFKA_PASSWORD: password,
  } = values;
  if ((certFile === undefined) !== (keyFile === undefined))
    throw new ConfigError(
      'STRATALOG_KAFKA_CERT_FILE and STRATALOG_KAFKA_KEY_FILE are set together or not at all',
    );
  const files = {
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && { certFile }),
    ...(keyFile !== undefined && { keyFile }),
  };
  const named = Object.keys(files).length > 0;
  if (values.STRATALOG_KAFKA_TLS === false && named)
    throw new ConfigError(
      'STRATALOG_KAFKA_TLS: false, and a certificate file is named: set true, or name none',
    );
  if (mechanism && !(username && password))
    throw new ConfigError(
      `STRATALOG_KAFKA_SASL_MECHANISM: ${mechanism} needs STRATALOG_KAFKA_USER and STRATALOG_KAFKA_PASSWORD`,
    );
  if (!mechanism && (username ?? password))
    throw new ConfigError(
      'STRATALOG_KAFKA_USER and STRATALOG_KAFKA_PASSWORD need STRATALOG_KAFKA_SASL_MECHANISM: plain, scram-sha-256 or scram-sha-512',
    );
  return {
    brokers: values.STRATALOG_KAFKA_BROKERS,
    topicPrefix: values.STRATALOG_KAFKA_TOPIC_PREFIX,
    replicas: values.STRATALOG_KAFKA_REPLICAS,
    tls: values.STRATALOG_KAFKA_TLS === true || named ? files : undefined,
    login: mechanism && username && password ? { mechanism, username, password } : undefined,
  };
}

function openSearchOf(values: Settings): ClusterConfig['openSearch'] {
  const urls = list(values.STRATALOG_OPENSEARCH_URL).map((text) => new URL(text));
  const { username, password } = urls[0]!;
  return {
    urls: urls.map((url) => Object.assign(url, { username: '', password: '' }).href),
    login:
      username === ''
        ? undefined
        : { username: decodeURIComponent(username), password: decodeURIComponent(password) },
    caFile: values.STRATALOG_OPENSEARCH_CA_FILE,
    indexPrefix: values.STRATALOG_OPENSEARCH_INDEX_PREFIX,
  };
}
