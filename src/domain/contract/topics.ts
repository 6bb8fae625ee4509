import { eventDefinitions } from '../events/registry.ts';
import type { EventCategory } from '../events/define.ts';

/**
 * `events`: changes of interest to users and auditors. `retrieval`: who searched and read what. `internal`: operation of the
 * program itself, of no interest to users and analysts.
 */
export const topicKinds = ['events', 'retrieval', 'internal'] as const;
export type TopicKind = (typeof topicKinds)[number];

export const defaultTopicPrefix = 'stratalog';

/** Partition count of every topic. It never changes, because a stream must stay in its partition; to grow, create a new topic. */
export const topicPartitions = 12;

/** The required configuration of a topic; same shape as in the transport port. */
export interface ContractTopic {
  readonly kind: TopicKind;
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The log keeps everything, so topics only need to outlast the downtime of a consumer. After longer downtimes our projectors
 * read the log, and other consumers use the audit API. Most events are retrieval events, so they are kept for less time.
 */
const retentionMs: Readonly<Record<TopicKind, number>> = {
  events: 30 * dayMs,
  retrieval: 7 * dayMs,
  internal: 7 * dayMs,
};

const kinds = {
  memory: 'events',
  erasure: 'events',
  claim: 'events',
  links: 'events',
  feedback: 'events',
  summary: 'events',
  ledger: 'events',
  trace: 'events',
  strategy: 'events',
  tenant: 'events',
  retrieval: 'retrieval',
  outcome: 'retrieval',
  session: 'retrieval',
  fact: 'internal',
  policy: 'internal',
  projection: 'internal',
  checkpoint: 'events',
  space: 'events',
  duplicates: 'events',
  document: 'events',
  source: 'events',
  conversation: 'events',
} as const satisfies Readonly<Record<EventCategory, TopicKind>>;

/** The topic kind of an event category. Unknown categories are `internal`. */
export function kindOfCategory(category: string): TopicKind {
  return Object.hasOwn(kinds, category) ? kinds[category as keyof typeof kinds] : 'internal';
}

/** The topic kind of a stream, from its name `<category>-<tenant>.<id>`. */
export function kindOfStream(stream: string): TopicKind {
  return kindOfCategory(stream.slice(0, Math.max(0, stream.indexOf('-'))));
}

/** The topic kinds that contain all events of these types, in the order of `topicKinds`. Throws for an unknown type. */
export function kindsOfTypes(types: Iterable<string>): TopicKind[] {
  const wantedKinds = new Set<TopicKind>();
  for (const type of types) {
    const definition = eventDefinitions.get(type);
    if (!definition) throw new Error(`unknown event type ${type}`);
    wantedKinds.add(kindOfCategory(definition.category));
  }
  return topicKinds.filter((kind) => wantedKinds.has(kind));
}

export function topicName(prefix: string, kind: TopicKind): string {
  return `${prefix}.${kind}`;
}

function topicOf(prefix: string, kind: TopicKind): ContractTopic {
  return {
    kind,
    name: topicName(prefix, kind),
    partitions: topicPartitions,
    retentionMs: retentionMs[kind],
  };
}

/** All topics with this prefix. */
export function topicsOf(prefix: string): ContractTopic[] {
  return topicKinds.map((kind) => topicOf(prefix, kind));
}
