import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { inspect } from 'node:util';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openKafkaTransport } from '../../src/adapters/kafka/transport.ts';
import { openKurrentEventLog } from '../../src/adapters/kurrentdb/kurrent-event-log.ts';
import { openOpenSearch } from '../../src/adapters/opensearch/opensearch.ts';
import { openPostgres } from '../../src/adapters/postgres/postgres.ts';
import { backEndsOf } from '../../src/backends/back-ends.ts';
import { eventStoreOptions } from '../../src/backends/eventstore.ts';
import { kafkaOptions } from '../../src/backends/kafka.ts';
import { openSearchOptions } from '../../src/backends/opensearch.ts';
import { postgresOptions } from '../../src/backends/postgres.ts';
import { readConfig } from '../../src/config.ts';
import type { Json } from '../support/api.ts';
import { stratalog } from '../support/cli.ts';
import { DoubleServers } from '../support/double-servers.ts';
import { freshStream, ids, storedEvents } from '../support/log-events.ts';
import { hasKafka } from '../support/private-kafka.ts';
import { postgresPrograms } from '../support/private-postgres.ts';
import { SecuredKafka } from '../support/secured-kafka.ts';
import { SecuredPostgres } from '../support/secured-postgres.ts';
import { selfSigned, tlsFront, type TlsFront } from '../support/tls-front.ts';
import { freshTopic, record } from '../support/transport-records.ts';

const programs = postgresPrograms();
const hasOpenssl = spawnSync('openssl', ['version'], { stdio: 'ignore' }).status === 0;
const plainOpenSearch = process.env['STRATALOG_OPENSEARCH_URL'] ?? 'http://127.0.0.1:9200';
const names = ['eventstore', 'kafka', 'postgres', 'opensearch'] as const;
const password = 'a secret/of: this test';
const encoded = encodeURIComponent(password);

type Settings = Record<string, string>;

describe.runIf(programs && hasOpenssl && hasKafka())('[I5] servers with TLS and a login', () => {
  const doubles = new DoubleServers();
  let folder: string;
  let kafka: SecuredKafka;
  let postgres: SecuredPostgres;
  let front: TlsFront;
  let eventStoreHost: string;
  let stranger: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-secured-'));
    kafka = await SecuredKafka.start();
    postgres = await SecuredPostgres.start(programs!);
    front = await tlsFront(plainOpenSearch, 'ada', password);
    const { key, cert } = await selfSigned();
    const secure = { key: Buffer.from(key), certificate: Buffer.from(cert), user: 'ada', password };
    const { double } = await doubles.start({ secure });
    eventStoreHost = `127.0.0.1:${double.port}`;
    await file('eventstore', cert);
    await file('kafka', kafka.certificate);
    await file('postgres', postgres.certificate);
    await file('opensearch', front.certificate);
    stranger = await file('stranger', (await selfSigned()).cert);
  }, 300_000);

  afterAll(async () => {
    await kafka?.remove();
    await postgres?.remove();
    await front?.close();
    await doubles.dispose();
    await rm(folder, { recursive: true });
  });

  const fileOf = (name: string): string => path.join(folder, `${name}.pem`);

  async function file(name: string, text: string): Promise<string> {
    await writeFile(fileOf(name), text);
    return fileOf(name);
  }

  interface Change {
    readonly authority?: string;
    readonly eventStorePassword?: string;
    readonly kafkaPassword?: string;
    readonly postgresPassword?: string;
    readonly openSearchPassword?: string;
  }

  function settings(change: Change = {}): Settings {
    const authority = (name: string): string => change.authority ?? fileOf(name);
    const { host } = new URL(front.url);
    return {
      STRATALOG_PROFILE: 'cluster',
      STRATALOG_DATA: folder,
      STRATALOG_PORT: '0',
      STRATALOG_EMBEDDER: 'deterministic',
      STRATALOG_EVENTSTORE_URL: `esdb://ada:${change.eventStorePassword ?? encoded}@${eventStoreHost}?tlsCAFile=${encodeURIComponent(authority('eventstore'))}`,
      STRATALOG_KAFKA_BROKERS: kafka.address,
      STRATALOG_KAFKA_CA_FILE: authority('kafka'),
      STRATALOG_KAFKA_SASL_MECHANISM: 'scram-sha-512',
      STRATALOG_KAFKA_USER: kafka.username,
      STRATALOG_KAFKA_PASSWORD: change.kafkaPassword ?? kafka.password,
      STRATALOG_POSTGRES_URL: postgres.url(
        `sslmode=verify-full&sslrootcert=${encodeURIComponent(authority('postgres'))}`,
        change.postgresPassword,
      ),
      STRATALOG_OPENSEARCH_URL: `https://ada:${change.openSearchPassword ?? encoded}@${host}`,
      STRATALOG_OPENSEARCH_CA_FILE: authority('opensearch'),
      STRATALOG_OPENSEARCH_INDEX_PREFIX: `secured-${crypto.randomUUID()}`,
    };
  }

  async function doctor(change: Change = {}): Promise<{ code: number | null; by: Json; output: string }> {
    const { code, json, stdout, stderr } = await stratalog(['doctor', '--json'], settings(change));
    const by = Object.fromEntries(json.map((finding: Json) => [finding.check, finding]));
    return { code, by, output: stdout + stderr };
  }

  it('pass the check with the settings of their variables', async () => {
    const { code, by, output } = await doctor();
    for (const name of names)
      expect(by[name], name).toMatchObject({ ok: true, server: { reachable: true, missing: [] } });
    expect(code).toBe(0);
    for (const secret of [password, encoded, kafka.password, encodeURIComponent(kafka.password)])
      expect(output).not.toContain(secret);
  });

  it('are used by the adapters that the variables open', async () => {
    const config = readConfig(settings());
    const log = await openKurrentEventLog(eventStoreOptions(config));
    const [stream, events] = [freshStream(), storedEvents(2)];
    await log.append(stream, 'noStream', events);
    expect(ids(await log.readStream(stream))).toEqual(ids(events));
    await log.close();

    const transport = await openKafkaTransport(kafkaOptions(config));
    const topic = await freshTopic(transport, 1);
    await transport.publish([record(topic, 'one', 'sealed')]);
    await transport.close();

    const sql = await openPostgres(postgresOptions(config));
    expect(await sql.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()')).toEqual([
      { ssl: true },
    ]);
    await sql.close();

    const index = openOpenSearch(openSearchOptions(config));
    await index.createGeneration('one');
    expect(await index.generations()).toEqual(['one']);
    await index.dropGeneration('one');
    await index.close();
  });

  it('with a wrong password are distinguished from servers that are down, without showing the password', async () => {
    const wrong = 'not-this-word';
    const { code, by, output } = await doctor({
      eventStorePassword: wrong,
      kafkaPassword: wrong,
      postgresPassword: wrong,
      openSearchPassword: wrong,
    });
    expect(code).toBe(1);
    for (const name of names)
      expect(by[name], name).toMatchObject({ ok: false, server: { reachable: true } });
    expect(output).not.toContain(wrong);
  });

  it('are reported in errors that contain no password at any depth', async () => {
    const wrong = 'not-this-word';
    const config = readConfig(
      settings({
        eventStorePassword: wrong,
        kafkaPassword: wrong,
        postgresPassword: wrong,
        openSearchPassword: wrong,
      }),
    );
    const index = openOpenSearch(openSearchOptions(config));
    const failures = await Promise.allSettled([
      openKurrentEventLog(eventStoreOptions(config)),
      openKafkaTransport(kafkaOptions(config)),
      openPostgres(postgresOptions(config)),
      index.generations(),
      ...backEndsOf(config).map(({ ask }) => ask()),
    ]);
    await index.close();
    const basic = Buffer.from(`ada:${wrong}`).toString('base64');
    for (const failure of failures) {
      expect(failure.status).toBe('rejected');
      const { reason } = failure as PromiseRejectedResult;
      const shown = inspect(reason, { depth: Infinity, showHidden: true, maxStringLength: null });
      const logged = JSON.stringify(pino.stdSerializers.errWithCause(reason));
      for (const secret of [wrong, basic]) {
        expect(shown, String(reason)).not.toContain(secret);
        expect(logged, String(reason)).not.toContain(secret);
      }
    }
  });

  it('are not connected to if another authority signed their certificates', async () => {
    const { code, by } = await doctor({ authority: stranger });
    expect(code).toBe(1);
    for (const name of names) {
      expect(by[name], name).toMatchObject({ ok: false, server: { reachable: false } });
      expect(by[name].detail, name).toMatch(/certificate|self-signed/i);
    }
  });
});
