import { askKafka, inspectKafka } from '../adapters/kafka/inspect.ts';
import { askKurrent, inspectKurrent } from '../adapters/kurrentdb/inspect.ts';
import { askOpenSearch, inspectOpenSearch } from '../adapters/opensearch/inspect.ts';
import { askPostgres, inspectPostgres } from '../adapters/postgres/inspect.ts';
import type { Config } from '../config.ts';
import { topicsOf } from '../domain/contract/topics.ts';
import { eventDefinitions } from '../domain/events/registry.ts';
import type { Inspection } from '../ports/inspection.ts';
import { eventStoreOptions } from './eventstore.ts';
import { abandonAfter } from '../support/resilience/time-limit.ts';
import { kafkaOptions } from './kafka.ts';
import { openSearchOptions } from './opensearch.ts';
import { postgresOptions } from './postgres.ts';

/** A server that the profile needs. Both calls reject within five seconds if it does not answer. */
export interface BackEnd {
  readonly name: 'eventstore' | 'kafka' | 'postgres' | 'opensearch';
  /** Address without credentials. */
  readonly url: string;
  /** Product and version; rejects if the server cannot be reached or refuses the credentials. */
  readonly ask: () => Promise<string>;
  /** What this program needs and the server lacks. Changes nothing. */
  readonly inspect: () => Promise<Inspection>;
}

const answerMs = 3_000;
/** Time limit of one call with all its requests. */
const patienceMs = 4_500;

/** The servers of the profile, in the order in which they are needed; none for the profile embedded. */
export function backEndsOf(config: Config): BackEnd[] {
  switch (config.profile) {
    case 'embedded':
      return [];
    case 'postgres':
      return [postgres(config)];
    case 'cluster':
      return [eventStore(config), kafka(config), postgres(config), openSearch(config)];
    default:
      return config.profile satisfies never;
  }
}

function eventStore(config: Config): BackEnd {
  const url = shown(config.eventStoreUrl);
  const encrypted = !/[?&]tls=false/.test(config.eventStoreUrl);
  const categories = new Set([...eventDefinitions.values()].map(({ category }): string => category));
  const target = () => eventStoreOptions(config).connectionString;
  const notes = [
    ...clearText(encrypted, [url]),
    ...(!encrypted && config.eventStoreUrl.includes('@')
      ? ['user and password are not sent without TLS']
      : []),
  ];
  return backEnd('eventstore', url, notes, {
    ask: () => askKurrent(target(), answerMs),
    inspect: () => inspectKurrent(target(), categories, answerMs),
  });
}

function kafka(config: Config): BackEnd {
  const { brokers, tls, topicPrefix } = config.kafka;
  return backEnd('kafka', brokers.join(','), clearText(tls !== undefined, brokers), {
    ask: () => askKafka(kafkaOptions(config), answerMs),
    inspect: () => inspectKafka(kafkaOptions(config), topicsOf(topicPrefix), answerMs),
  });
}

function postgres(config: Config): BackEnd {
  const mode = new URL(config.postgresUrl).searchParams.get('sslmode') ?? 'disable';
  const url = shown(config.postgresUrl);
  const notes = [
    ...clearText(mode !== 'disable', [url]),
    ...(mode === 'no-verify' ? ['sslmode=no-verify takes any certificate'] : []),
  ];
  return backEnd('postgres', url, notes, {
    ask: () => askPostgres(postgresOptions(config).url, answerMs),
    inspect: () => {
      const { url, extensions } = postgresOptions(config);
      return inspectPostgres(url, extensions, answerMs);
    },
  });
}

function openSearch(config: Config): BackEnd {
  const { urls } = config.openSearch;
  const encrypted = urls.every((url) => url.startsWith('https:'));
  return backEnd('opensearch', urls.map(shown).join(','), clearText(encrypted, urls), {
    ask: () => askOpenSearch(openSearchOptions(config), answerMs),
    inspect: () => {
      const options = openSearchOptions(config);
      return inspectOpenSearch(options, options.prefix, answerMs);
    },
  });
}

/** Adds the time limit to both calls, and turns what they throw into a rejection. */
function backEnd(
  name: BackEnd['name'],
  url: string,
  notes: readonly string[],
  { ask, inspect }: Pick<BackEnd, 'ask' | 'inspect'>,
): BackEnd {
  return {
    name,
    url,
    ask: () => abandonAfter(patienceMs, ask),
    async inspect() {
      const inspection = await abandonAfter(patienceMs, inspect);
      return { ...inspection, notes: [...inspection.notes, ...notes] };
    },
  };
}

/** The URL without user, password and options. */
function shown(url: string): string {
  return url.replace(/\/\/[^/?]*@/, '//').replace(/\/?(\?.*)?$/, '');
}

function clearText(encrypted: boolean, addresses: readonly string[]): string[] {
  const away = addresses.some(
    (address) => !/^([a-z+]+:\/\/)?(localhost|127\.[\d.]+|\[::1\])([:/,]|$)/.test(address),
  );
  return away && !encrypted ? ['without TLS'] : [];
}
