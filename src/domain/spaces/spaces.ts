import { canonicalJson, mergePatch, type JsonObject } from '../json.ts';
import { defaultSpace, type SpaceConfig } from './space-config.ts';
import { noTrustPolicy, type TrustPolicy } from '../trust/policy.ts';
import type { SpaceEvent } from './events.ts';

/** A space with its configuration. */
export interface Space {
  readonly id: string;
  readonly config: SpaceConfig;
  /** Revision in the stream of the tenant's spaces: grows with each change of this space. */
  readonly revision: number;
  readonly updatedAt: string;
}

/** All spaces that a tenant has configured. */
export interface Spaces {
  readonly configured: ReadonlyMap<string, Space>;
  /** Whether memories may name only these. */
  readonly strict: boolean;
  /** The trust policy of the whole tenant. */
  readonly trust: TrustPolicy;
}

/** Similarity from which two memories may say the same, in a space that names none. */
const defaultSimilarity = 0.95;

export const noSpaces: Spaces = { configured: new Map(), strict: false, trust: noTrustPolicy };

export interface RecordedSpaceEvent {
  readonly event: SpaceEvent;
  readonly revision: number;
  readonly time: Date;
}

/** The spaces after further events. */
export function foldSpaces(before: Spaces, events: readonly RecordedSpaceEvent[]): Spaces {
  if (events.length === 0) return before;
  const configured = new Map(before.configured);
  let { strict, trust } = before;
  for (const { event, revision, time } of events) {
    switch (event.type) {
      case 'SpaceConfigured': {
        const { spaceId: id, settings, description, sources, metadataSchema } = event.data;
        const config = { ...settings, description, sources, metadataSchema };
        configured.set(id, { id, config: defined(config), revision, updatedAt: time.toISOString() });
        break;
      }
      case 'SpaceRemoved':
        configured.delete(event.data.spaceId);
        break;
      case 'SpaceDetached':
        break;
      case 'SpacesRestricted':
        ({ strict } = event.data);
        break;
      case 'TrustConfigured':
        trust = event.data.policy;
        break;
      default:
        event satisfies never;
    }
  }
  return { configured, strict, trust };
}

/** The event that gives the space this configuration; none if it has it already. */
export function decideConfiguration(spaces: Spaces, spaceId: string, config: SpaceConfig): SpaceEvent[] {
  const before = spaces.configured.get(spaceId);
  if (before && canonicalJson(before.config) === canonicalJson(config)) return [];
  const { description, sources, metadataSchema, ...settings } = config;
  return [{ type: 'SpaceConfigured', data: { spaceId, settings, description, sources, metadataSchema } }];
}

/** With `detach`, memories can also lose a label that nobody configured. */
export function decideRemoval(spaces: Spaces, spaceId: string, detach: boolean): SpaceEvent[] {
  return detach || spaces.configured.has(spaceId)
    ? [{ type: 'SpaceRemoved', data: { spaceId, detach } }]
    : [];
}

export function decideRestriction(spaces: Spaces, strict: boolean): SpaceEvent[] {
  return spaces.strict === strict ? [] : [{ type: 'SpacesRestricted', data: { strict } }];
}

export function decideTrust(spaces: Spaces, policy: TrustPolicy): SpaceEvent[] {
  return canonicalJson(spaces.trust) === canonicalJson(policy)
    ? []
    : [{ type: 'TrustConfigured', data: { policy } }];
}

/** The trust policies that apply to a memory with these labels: that of the tenant and those of its spaces. */
export function trustPoliciesOf({ configured, trust }: Spaces, labels: readonly string[]): TrustPolicy[] {
  return [trust, ...labels.flatMap((label) => configured.get(label)?.config.trust ?? [])];
}

/** The spaces that list a source. Its documents go to them if they name no spaces. */
export function spacesListing({ configured }: Spaces, source: string): string[] {
  return [...configured.values()].filter(({ config }) => config.sources.includes(source)).map(({ id }) => id);
}

/** Whether sources may add documents to the space without being asked to. */
export function takesUnasked(spaces: Spaces, label: string): boolean {
  return configOf(spaces, label).autoIngest;
}

/**
 * The spaces with `autoIngest: false` that keep a source from running on its schedule. They are among the spaces that the source names, or,
 * if it names none, among those that list it.
 */
export function spacesHolding(
  spaces: Spaces,
  source: { readonly id: string; readonly spaces: readonly string[] },
): string[] {
  const labels = source.spaces.length > 0 ? source.spaces : spacesListing(spaces, source.id);
  return labels.filter((label) => !takesUnasked(spaces, label));
}

/** Whether one of the labels is a space that tracks citations. */
export function tracksCitations(spaces: Spaces, labels: Iterable<string>): boolean {
  for (const label of labels) if (configOf(spaces, label).citationTracking) return true;
  return false;
}

/** Those of the labels whose spaces keep no text twice, in a fixed order. */
export function withoutCopies({ configured }: Spaces, labels: readonly string[]): string[] {
  const strategyOf = (label: string) => configured.get(label)?.config.dedupStrategy ?? 'none';
  return [...new Set(labels)].filter((label) => strategyOf(label) !== 'none').sort();
}

/** Those of the labels whose spaces collect memories that say the same, with the similarity from which they do. */
export function collectingDuplicates(
  { configured }: Spaces,
  labels: readonly string[],
): { readonly space: string; readonly threshold: number }[] {
  return [...new Set(labels)].sort().flatMap((space) => {
    const { dedupStrategy, semanticSimilarityThreshold = defaultSimilarity } =
      configured.get(space)?.config ?? defaultSpace;
    return dedupStrategy === 'semantic' ? [{ space, threshold: semanticSimilarityThreshold }] : [];
  });
}

/** What a merge patch makes of a configuration, still to be validated: null brings back the default. */
export function patchedConfig(config: SpaceConfig, patch: JsonObject): JsonObject {
  return mergePatch(config as unknown as JsonObject, patch);
}

/** The configuration that counts for a label. */
export function configOf(spaces: Spaces, spaceId: string): SpaceConfig {
  return spaces.configured.get(spaceId)?.config ?? defaultSpace;
}

function defined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as never;
}
