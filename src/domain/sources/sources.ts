import { canonicalJson } from '../json.ts';
import { nextRun } from './schedule.ts';
import type { SourceConfigEvent, SourceRunEvent } from './events.ts';

type Configured = Extract<SourceConfigEvent, { type: 'SourceConfigured' }>['data'];

/** What is read on a schedule, and where its documents go. */
export interface Source extends Omit<Configured, 'sourceId'> {
  readonly id: string;
  /** Who configured it first. */
  readonly createdBy: string;
  /** Revision of its configuration in the stream of the tenant's sources. */
  readonly revision: number;
  /** Revision of its first configuration: an earlier source may have had the same id. */
  readonly createdRevision: number;
  readonly updatedAt: Date;
  /** The last run that somebody asked for. */
  readonly requested?: { readonly revision: number; readonly at: Date } | undefined;
}

/** All sources of a tenant. */
export interface Sources {
  readonly configured: ReadonlyMap<string, Source>;
  /** Revision of the last event; -1 if there is none. */
  readonly revision: number;
}

export const noSources: Sources = { configured: new Map(), revision: -1 };

/** The last run of a source. */
export type SourceRun = SourceRunEvent['data'];

export interface RecordedSourceEvent {
  readonly event: SourceConfigEvent;
  readonly revision: number;
  readonly time: Date;
  readonly metadata?: { readonly actor: string };
  /** Its key was destroyed, so nobody knows any more what is to be read. */
  readonly erased?: boolean;
}

/** The sources after further events. */
export function foldSources(before: Sources, events: readonly RecordedSourceEvent[]): Sources {
  const configured = new Map(before.configured);
  let last = before.revision;
  for (const { event, revision, time, metadata, erased } of events) {
    const { sourceId: id } = event.data;
    const known = configured.get(id);
    last = revision;
    switch (event.type) {
      case 'SourceConfigured': {
        if (erased) {
          configured.delete(id);
          break;
        }
        const { sourceId: _, ...config } = event.data;
        configured.set(id, {
          id,
          ...config,
          createdBy: known?.createdBy ?? metadata?.actor ?? 'system',
          revision,
          createdRevision: known?.createdRevision ?? revision,
          updatedAt: time,
          requested: known?.requested,
        });
        break;
      }
      case 'SourceRemoved':
        configured.delete(id);
        break;
      case 'SourceRunRequested':
        if (known) configured.set(id, { ...known, requested: { revision, at: time } });
        break;
      default:
        event satisfies never;
    }
  }
  return { configured, revision: last };
}

type Config = Omit<Configured, 'sourceId'>;

/** The event that gives a source this configuration; none if it has it already. */
export function decideSource(sources: Sources, sourceId: string, config: Config): SourceConfigEvent[] {
  const before = sources.configured.get(sourceId);
  if (before && canonicalJson(configOf(before)) === canonicalJson(configOf(config))) return [];
  return [{ type: 'SourceConfigured', data: { sourceId, ...configOf(config) } }];
}

function configOf({ type, schedule, layer, scope, spaces, enabled, location, tags }: Config): Config {
  return { type, schedule, layer, scope, spaces, enabled, location, tags };
}

/** The last run, unless it was that of an earlier source with the same id. */
export function ownRun(source: Source, run: SourceRun | undefined): SourceRun | undefined {
  return run && run.configured >= source.createdRevision ? run : undefined;
}

/** Whether somebody has asked for a run that has not taken place yet. */
export function isRequested(source: Source, run: SourceRun | undefined): boolean {
  const { requested, createdRevision } = source;
  const seen = ownRun(source, run)?.seen ?? -1;
  return requested !== undefined && requested.revision > Math.max(seen, createdRevision);
}

/** When a source is read next: it is due if that time is past; undefined if never. With `isHeld`, only requested runs count. */
export function nextRunOf(source: Source, run: SourceRun | undefined, isHeld = false): Date | undefined {
  const last = ownRun(source, run);
  const { requested, schedule, enabled, updatedAt } = source;
  return nextRun({
    schedule,
    enabled: enabled && !isHeld,
    since: updatedAt,
    requestedAt: isRequested(source, run) ? requested?.at : undefined,
    last: last && {
      at: new Date(last.at),
      failures: last.failures,
      notBefore: last.notBefore === undefined ? undefined : new Date(last.notBefore),
    },
  });
}

export const sourceStates = ['waiting', 'due', 'failing', 'disabled', 'held'] as const;
export type SourceState = (typeof sourceStates)[number];

export function stateOf(
  source: Source,
  run: SourceRun | undefined,
  { now, isHeld }: { readonly now: Date; readonly isHeld: boolean },
): SourceState {
  const next = nextRunOf(source, run, isHeld);
  if (next && next <= now) return 'due';
  if (!source.enabled) return 'disabled';
  if (isHeld) return 'held';
  return (ownRun(source, run)?.failures ?? 0) > 0 ? 'failing' : 'waiting';
}

/** Names begun like this are those of documents of sources. */
export const sourcePrefix = 'source:';
const maxExternalId = 512;

/** The externalId of what a source lists, such as the address of a page; without `name`, that of a whole feed. */
export function externalIdOf(
  sourceId: string,
  name: string | undefined,
  shorten: (name: string) => string,
): string {
  const own = `${sourcePrefix}${sourceId}`;
  if (name === undefined) return own;
  const whole = `${own}/${name}`;
  return whole.length <= maxExternalId && !/\p{Cc}/u.test(whole) ? whole : `${own}/${shorten(name)}`;
}

/**
 * Which of the documents of a source are gone: those that a complete listing does not have. An incomplete listing says nothing about what
 * it lacks, and an empty one rather that something is wrong.
 */
export function goneFrom<Document extends { readonly externalId: string }>(
  known: readonly Document[],
  listed: ReadonlySet<string>,
  { isComplete }: { readonly isComplete: boolean },
): readonly Document[] {
  if (!isComplete || listed.size === 0) return [];
  return known.filter(({ externalId }) => !listed.has(externalId));
}
