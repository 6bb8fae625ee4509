import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventStoreOptions } from '../../src/backends/eventstore.ts';
import { kafkaOptions } from '../../src/backends/kafka.ts';
import { openSearchOptions } from '../../src/backends/opensearch.ts';
import { postgresOptions } from '../../src/backends/postgres.ts';
import { ConfigError, readConfig } from '../../src/config.ts';

const pem = '-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n';

describe('[G1] the configuration of the cluster profile', () => {
  let folder: string;
  let caFile: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-config-'));
    caFile = path.join(folder, 'ca.pem');
    await writeFile(caFile, pem);
  });

  afterAll(() => rm(folder, { recursive: true }));

  it('finds the servers of `npm run stack` and of compose without settings', () => {
    const config = readConfig({ STRATALOG_PROFILE: 'cluster' });
    expect(eventStoreOptions(config)).toEqual({ connectionString: 'esdb://127.0.0.1:2113?tls=false' });
    expect(kafkaOptions(config)).toEqual({ brokers: ['127.0.0.1:9092'] });
    expect(openSearchOptions(config)).toEqual({
      url: ['http://127.0.0.1:9200/'],
      prefix: 'stratalog-lexical',
    });
    expect(postgresOptions(config).url).toBe('postgres://stratalog:stratalog@127.0.0.1:54329/stratalog');
  });

  it('needs pg_textsearch only in the profile postgres', () => {
    expect(postgresOptions(readConfig({ STRATALOG_PROFILE: 'cluster' })).extensions).toEqual(['vector']);
    expect(postgresOptions(readConfig({ STRATALOG_PROFILE: 'postgres' })).extensions).toEqual([
      'vector',
      'pg_textsearch',
    ]);
  });

  it('[I5] accepts TLS and credentials for every server', () => {
    const config = readConfig({
      STRATALOG_EVENTSTORE_URL: `kurrentdb+discover://ada:p%40ss@log.example:2113?tlsCAFile=${caFile}`,
      STRATALOG_KAFKA_BROKERS: 'one.example:9093, two.example:9093',
      STRATALOG_KAFKA_CA_FILE: caFile,
      STRATALOG_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      STRATALOG_KAFKA_USER: 'ada',
      STRATALOG_KAFKA_PASSWORD: 'p@ss',
      STRATALOG_KAFKA_REPLICAS: '3',
      STRATALOG_OPENSEARCH_URL: 'https://ada:p%40ss@a.example:9200,https://ada:p%40ss@b.example:9200',
      STRATALOG_OPENSEARCH_CA_FILE: caFile,
      STRATALOG_OPENSEARCH_INDEX_PREFIX: 'team-a',
    });
    expect(eventStoreOptions(config).connectionString).toBe(
      `esdb+discover://ada:p%40ss@log.example:2113?tlsCAFile=${caFile}`,
    );
    expect(kafkaOptions(config)).toEqual({
      brokers: ['one.example:9093', 'two.example:9093'],
      tls: { ca: pem },
      sasl: { mechanism: 'scram-sha-512', username: 'ada', password: 'p@ss' },
      replicas: 3,
    });
    expect(openSearchOptions(config)).toEqual({
      url: ['https://a.example:9200/', 'https://b.example:9200/'],
      auth: { username: 'ada', password: 'p@ss' },
      tls: { ca: pem },
      prefix: 'team-a',
    });
  });

  it('[I5] accepts a client certificate for Kafka, and TLS with the certificate authorities of Node.js', () => {
    const certificate = { STRATALOG_KAFKA_CERT_FILE: caFile, STRATALOG_KAFKA_KEY_FILE: caFile };
    expect(kafkaOptions(readConfig(certificate)).tls).toEqual({ cert: pem, key: pem });
    expect(kafkaOptions(readConfig({ STRATALOG_KAFKA_TLS: 'true' })).tls).toEqual({});
    expect(() => readConfig({ ...certificate, STRATALOG_KAFKA_TLS: 'false' })).toThrow(/STRATALOG_KAFKA_TLS/);
  });

  it.each([
    ['STRATALOG_EVENTSTORE_URL', 'http://ada:secret@x:2113', /esdb:\/\//],
    ['STRATALOG_EVENTSTORE_URL', 'esdb://ada:sec@ret@x:2113', /percent-encoded/],
    ['STRATALOG_EVENTSTORE_URL', 'esdb://ada:secret@x:2113?tlsVerifyCert=false', /no option tlsVerifyCert/],
    ['STRATALOG_EVENTSTORE_URL', 'esdb://ada:secret@x:2113?tls=no', /tls must be true or false/],
    ['STRATALOG_KAFKA_BROKERS', 'ada:secret@x', /host:port/],
    ['STRATALOG_KAFKA_BROKERS', ' , ', /host:port/],
    ['STRATALOG_KAFKA_SASL_MECHANISM', 'gssapi', /plain.*scram-sha-256.*scram-sha-512/],
    ['STRATALOG_KAFKA_SASL_MECHANISM', 'plain', /STRATALOG_KAFKA_USER and STRATALOG_KAFKA_PASSWORD/],
    ['STRATALOG_KAFKA_PASSWORD', 'secret', /STRATALOG_KAFKA_SASL_MECHANISM/],
    ['STRATALOG_KAFKA_CERT_FILE', '/tmp/x', /STRATALOG_KAFKA_KEY_FILE/],
    ['STRATALOG_KAFKA_REPLICAS', '0', /must be an integer from 1 to 32/],
    ['STRATALOG_KAFKA_TLS', 'yes', /true.*false/],
    ['STRATALOG_OPENSEARCH_URL', 'ada:secret@x:9200', /http:\/\/ or https:\/\//],
    ['STRATALOG_OPENSEARCH_URL', 'http://ada:secret@x:9200,http://y:9200', /same user and password/],
    ['STRATALOG_OPENSEARCH_INDEX_PREFIX', 'Stratalog', /a-z, 0-9/],
    ['STRATALOG_POSTGRES_URL', 'postgres://ada:secret@x/y?sslmode=on', /verify-full/],
  ])('[I5] %s=%s: reports the name and the valid values, and no secret', (name, value, takes) => {
    const reading = () => readConfig({ [name]: value });
    expect(reading).toThrow(ConfigError);
    expect(reading).toThrow(name);
    expect(reading).toThrow(takes);
    expect(reading).not.toThrow(/secret/);
  });

  it.each([
    [
      'STRATALOG_EVENTSTORE_URL',
      (file: string) => `esdb://ada:secret@x:2113?tlsCAFile=${file}`,
      eventStoreOptions,
    ],
    ['STRATALOG_KAFKA_CA_FILE', (file: string) => file, kafkaOptions],
    ['STRATALOG_OPENSEARCH_CA_FILE', (file: string) => file, openSearchOptions],
    [
      'STRATALOG_POSTGRES_URL',
      (file: string) => `postgres://ada:secret@x/y?sslrootcert=${file}`,
      postgresOptions,
    ],
  ] as const)('[I5] %s: reports which certificate cannot be read', async (name, value, options) => {
    const absent = path.join(folder, 'absent.pem');
    const reading = (file: string) => () => options(readConfig({ [name]: value(file) }));
    expect(reading(absent)).toThrow(ConfigError);
    expect(reading(absent)).toThrow(
      new RegExp(`^${name}.*absent\\.pem cannot be read: there is no such file$`),
    );
    const other = path.join(folder, 'other.txt');
    await writeFile(other, 'no certificate');
    expect(reading(other)).toThrow(/other\.txt holds nothing in PEM/);
  });
});
