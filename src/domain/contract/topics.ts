import { eventDefinitions } from '../events/registry.ts';
import type { EventCategory } from '../events/define.ts';

/**
 * `events` is what users and auditors may know, `retrieval` who searched and read what, `internal` how the program runs
 * itself: none of a user's or analyst's business.
 */
export const topicKinds = ['events', 'retrieval', 'internal'] as const;
export type TopicKind = (typeof topicKinds)[number];

export const defaultTopicPrefix = 'stratalog';

/** Of every topic, for ever: a stream keeps its partition, so growth is a new topic. */
export const topicPartitions = 12;

/** A topic as it must be, in the shape of the transport's port. */
export interface ContractTopic {
  readonly kind: TopicKind;
  readonly name: string;
  readonly partitions: number;
  readonly retentionMs: number;
}

const dayMs = 24 * 60 * 60 * 1000;

/**
 * The log is the truth and keeps everything: a topic only has to outlast a consumer's absence, after which our own
 * projectors read the log and others the audit API. Retrieval is the bulk of all events, so it is kept for less.
 */
const retentionMs: Readonly<Record<TopicKind, number>> = {
  events: 30 * dayMs,
  retrieval: 7 * dayMs,
  internal: 7 * dayMs,
};

const kinds = {
  memory: 'events',
  claim: 'events',
  links: 'events',
  feedback: 'events',
  tenant: 'events',
  retrieval: 'retrieval',
  policy: 'internal',
  projection: 'internal',
} as const satisfies Readonly<Record<EventCategory, TopicKind>>;

/** Where the events of a category go: what this program does not know is nobody's business. */
export function kindOfCategory(category: string): TopicKind {
  return Object.hasOwn(kinds, category) ? kinds[category as keyof typeof kinds] : 'internal';
}

/** Where the events of a stream go, by its name `<category>-<tenant>.<id>`. */
export function kindOfStream(stream: string): TopicKind {
  return kindOfCategory(stream.slice(0, Math.max(0, stream.indexOf('-'))));
}

/** The kinds that hold all events of these types, in the order of `topicKinds`. Throws for a type that is unknown. */
export function kindsOfTypes(types: Iterable<string>): TopicKind[] {
  const wanted = new Set<TopicKind>();
  for (const type of types) {
    const definition = eventDefinitions.get(type);
    if (!definition) throw new Error(`no event is called ${type}`);
    wanted.add(kindOfCategory(definition.category));
  }
  return topicKinds.filter((kind) => wanted.has(kind));
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

/** All topics under a prefix. */
export function topicsOf(prefix: string): ContractTopic[] {
  return topicKinds.map((kind) => topicOf(prefix, kind));
}
