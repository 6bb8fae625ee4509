import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { readConfig, settings } from '../../src/config.ts';
import { processRoles } from '../../src/profiles.ts';
import { backEndsOf } from '../../src/backends/back-ends.ts';
import { kafka } from '../../stack/kafka.mjs';
import { kurrentdbDouble } from '../../stack/kurrentdb-double.mjs';
import { opensearch } from '../../stack/opensearch.mjs';
import { postgres } from '../../stack/postgres.mjs';

interface Service {
  readonly image: string;
  readonly ports?: readonly string[];
  readonly volumes?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly command?: readonly string[];
}

const servers = ['kurrentdb', 'kafka', 'postgres', 'opensearch'];
const text = readFileSync('docker-compose.yml', 'utf8');
const compose = parse(text, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const { services } = compose;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

describe('[G7] docker-compose.yml', () => {
  it('starts every server and every role', () => {
    expect(Object.keys(services).toSorted()).toEqual([...servers, ...processRoles].toSorted());
    for (const role of processRoles) expect(services[role]!.command).toEqual(['serve', '--role', role]);
  });

  it('pins every image', () => {
    for (const name of servers) expect(services[name]!.image, name).toMatch(/^[\w./-]+:\d+\.\d+\.\d+/);
    for (const role of processRoles) expect(services[role]!.image).toBe(`stratalog:${version}`);
  });

  it('uses the Kafka and OpenSearch versions of `npm run stack`', () => {
    const jars = JSON.parse(readFileSync('stack/kafka-jars.json', 'utf8')) as Record<string, string>;
    const [, broker] = services['kafka']!.image.split(':');
    expect(Object.keys(jars).join(' ')).toContain(`org.apache.kafka:kafka_2.13:${broker}`);
    const [, node] = services['opensearch']!.image.split(':');
    expect(readFileSync('stack/opensearch-jars.txt', 'utf8')).toContain(`org.opensearch:opensearch:${node}`);
  });

  it('listens on the default addresses of the configuration, as the stack does, and only on the local machine', () => {
    const [eventStore, brokers, sql, index] = backEndsOf(readConfig({ STRATALOG_PROFILE: 'cluster' }));
    const published = (name: string): string => {
      const [port] = services[name]!.ports!;
      expect(port, name).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
      return port!.split(':').slice(0, 2).join(':');
    };
    expect(eventStore!.url).toBe(`esdb://${published('kurrentdb')}`);
    expect(brokers!.url).toBe(published('kafka'));
    expect(sql!.url).toBe(`postgres://${published('postgres')}/stratalog`);
    expect(index!.url).toBe(`http://${published('opensearch')}`);
    expect(published('api')).toBe(`127.0.0.1:${readConfig({}).port}`);
    const defaults = readConfig({});
    expect(kurrentdbDouble.url).toBe(defaults.eventStoreUrl);
    expect([kafka.url]).toEqual(defaults.kafka.brokers);
    expect(postgres.url).toBe(defaults.postgresUrl);
    expect(`${opensearch.url}/`).toBe(defaults.openSearch.urls[0]);
  });

  it('gives its services a valid configuration', () => {
    for (const role of processRoles) {
      const environment = Object.fromEntries(
        Object.entries(services[role]!.environment).map(([name, value]) => [
          name,
          value.replace(/^\$\{\w+:-(.*)\}$/, '$1'),
        ]),
      );
      for (const name of Object.keys(environment)) expect(Object.keys(settings.shape)).toContain(name);
      const config = readConfig(environment);
      expect(config.profile).toBe('cluster');
      const command = services[role]!.healthcheck!.test.join(' ');
      expect(command, role).toContain(`http://127.0.0.1:${config.port}/readyz`);
      const hosts = [
        config.eventStoreUrl,
        ...config.kafka.brokers,
        config.postgresUrl,
        ...config.openSearch.urls,
      ];
      expect(hosts.map((url) => /(\w+):\d+(?!.*@)/.exec(url)?.[1])).toEqual(servers);
    }
    const advertised = services['kafka']!.environment['KAFKA_ADVERTISED_LISTENERS']!;
    expect(advertised).toContain(`INTERNAL://${services['api']!.environment['STRATALOG_KAFKA_BROKERS']}`);
  });

  it('starts a service only after its dependencies are healthy', () => {
    for (const [name, { healthcheck }] of Object.entries(services)) {
      const [kind, ...words] = healthcheck!.test;
      expect(['CMD', 'CMD-SHELL'], name).toContain(kind);
      expect(words.length, name).toBeGreaterThan(0);
      // In YAML, a colon followed by a space would turn the word into a mapping.
      for (const word of words) expect(word, name).toBeTypeOf('string');
    }
    for (const role of processRoles) {
      const needed = services[role]!.depends_on!;
      expect(Object.keys(needed)).toEqual(role === 'api' ? servers : [...servers, 'api']);
      for (const { condition } of Object.values(needed)) expect(condition).toBe('service_healthy');
    }
  });

  it('keeps server data in volumes and mounts only existing files', () => {
    const mounted = Object.values(services).flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')),
    );
    for (const [source] of mounted) {
      if (source!.startsWith('.')) expect(existsSync(source!), source).toBe(true);
      else expect(Object.keys(compose.volumes)).toContain(source);
    }
    for (const name of servers) expect(mounted.map(([source]) => source)).toContain(name);
  });
});

describe('[G7] the Dockerfile', () => {
  const lines = readFileSync('Dockerfile', 'utf8').split('\n');
  const only = readFileSync('.dockerignore', 'utf8').split('\n');

  it('copies only existing files of the build context', () => {
    expect(only[0]).toBe('*');
    const sources = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from='))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(sources.length).toBeGreaterThan(5);
    for (const source of sources) {
      expect(existsSync(source), source).toBe(true);
      const isCopied = only.some((line) => line === `!${source}` || line === `!${source.split('/')[0]}`);
      expect(isCopied, source).toBe(true);
    }
  });

  it('runs as an unprivileged user, on a pinned and supported Node.js version', () => {
    const bases = lines.filter((line) => line.startsWith('FROM '));
    for (const base of bases) expect(base).toMatch(/^FROM node:22\.\d+\.\d+-bookworm-slim/);
    expect(lines).toContain('USER node');
    expect(lines).toContain('STOPSIGNAL SIGTERM');
    expect(lines.join('\n')).toMatch(/^HEALTHCHECK .*\n.*\/livez/m);
    const names = lines.join(' ').match(/STRATALOG_\w+/g)!;
    for (const name of names) expect(Object.keys(settings.shape)).toContain(name);
  });
});
