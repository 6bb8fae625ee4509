import type { z } from 'zod';

/** Type and data of an event; `data` is the routing part and the sealed part in one object. */
export interface DomainEvent<Type extends string = string, Data = unknown> {
  readonly type: Type;
  readonly data: Data;
}

/**
 * An event type is defined by its schemas. `routing` stays readable in the log and on the topics; `sealed` is encrypted with
 * the key of the event's owner. Every schema version ever written is kept in `schemas/events/`; upcasters convert old events
 * one version at a time.
 */
export interface EventDefinition<
  Type extends string,
  Routing extends z.ZodObject,
  Sealed extends z.ZodObject,
> {
  readonly type: Type;
  readonly category: EventCategory;
  readonly version: number;
  readonly routing: Routing;
  readonly sealed: Sealed;
  /** `upcasters[n]` turns the data of version n into data of version n + 1. */
  readonly upcasters: Readonly<Record<number, (data: Record<string, unknown>) => Record<string, unknown>>>;
}

export type EventCategory =
  | 'memory'
  | 'claim'
  | 'fact'
  | 'links'
  | 'feedback'
  | 'summary'
  | 'ledger'
  | 'trace'
  | 'strategy'
  | 'retrieval'
  | 'outcome'
  | 'session'
  | 'tenant'
  | 'policy'
  | 'projection'
  | 'checkpoint'
  | 'space'
  | 'duplicates'
  | 'document'
  | 'source'
  | 'conversation'
  | 'erasure';

export type AnyEventDefinition = EventDefinition<string, z.ZodObject, z.ZodObject>;

/** The TypeScript type of the events of a definition. */
export type EventOf<Definition> =
  Definition extends EventDefinition<infer Type, infer Routing, infer Sealed>
    ? DomainEvent<
        Type,
        z.infer<Sealed> extends Record<string, never> ? z.infer<Routing> : z.infer<Routing> & z.infer<Sealed>
      >
    : never;

/** Throws if the upcaster of an older version is missing. */
export function defineEvent<
  const Type extends string,
  Routing extends z.ZodObject,
  Sealed extends z.ZodObject,
>(
  definition: Omit<EventDefinition<Type, Routing, Sealed>, 'upcasters'> & {
    readonly upcasters?: EventDefinition<Type, Routing, Sealed>['upcasters'];
  },
): EventDefinition<Type, Routing, Sealed> {
  const upcasters = definition.upcasters ?? {};
  for (let version = 1; version < definition.version; version++) {
    if (!upcasters[version]) throw new Error(`${definition.type} has no upcaster from version ${version}`);
  }
  return { ...definition, upcasters };
}

/** Converts data of an older schema version to the current one. Throws for a version newer than this program supports. */
export function upcast(
  definition: AnyEventDefinition,
  version: number,
  data: Record<string, unknown>,
): Record<string, unknown> {
  if (version > definition.version) {
    throw new Error(
      `${definition.type} version ${version} is newer than this program, which supports versions up to ${definition.version}`,
    );
  }
  let upcasted = data;
  for (let from = version; from < definition.version; from++)
    upcasted = definition.upcasters[from]!(upcasted);
  return upcasted;
}
