import { actorOf } from '../../domain/access/context.ts';
import { inputProblem } from '../../domain/input/parse-input.ts';
import { canonicalJson, mergePatch, type JsonObject } from '../../domain/json.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import type { SourceConfigEvent } from '../../domain/sources/events.ts';
import { locationOf, sourceConfigSchema, type SourceConfig } from '../../domain/sources/source-config.ts';
import {
  decideSource,
  foldSources,
  noSources,
  type Source,
  type Sources,
} from '../../domain/sources/sources.ts';
import { sourcesStream } from '../../domain/streams.ts';
import type { MatchCondition } from '../change-memory.ts';
import { changeStream } from '../change-stream.ts';
import { tenantKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';
import { assertKnownSpaces } from '../entry/check-spaces.ts';
import { writablePlacement } from '../placement.ts';

/** Sources that a tenant may configure. */
const maxSources = 1_000;

export interface SourceConditions {
  /** Revision that the source must be at; `*` is any. The source must be configured. */
  readonly match?: MatchCondition;
  /** The source must not be configured yet. */
  readonly isNew?: boolean | undefined;
}

export interface SourceResult extends CommandResult {
  readonly source: Source;
  readonly isNew: boolean;
}

/** Gives a source this configuration in place of the one that it has. */
export function configureSource(
  services: CommandServices,
  context: CommandContext,
  sourceId: string,
  config: SourceConfig,
  conditions: SourceConditions = {},
): Promise<SourceResult> {
  return change(services, context, sourceId, conditions, () => config);
}

/** Changes what the merge patch names; null brings back the default. */
export function patchSource(
  services: CommandServices,
  context: CommandContext,
  sourceId: string,
  patch: JsonObject,
  conditions: SourceConditions = {},
): Promise<SourceResult> {
  return change(services, context, sourceId, conditions, (before) => {
    if (!before) throw unknownSource();
    const { data, error } = sourceConfigSchema.safeParse(mergePatch(sentConfig(before), patch));
    if (error) throw inputProblem(error, sourceConfigSchema);
    return data;
  });
}

/** The source is not read any more. Its documents stay. */
export async function removeSource(
  services: CommandServices,
  context: CommandContext,
  sourceId: string,
  { match }: SourceConditions,
): Promise<CommandResult> {
  return changeSources(services, context, (sources) => {
    assertMatches(sources, sourceId, { match });
    return sources.configured.has(sourceId) ? [{ type: 'SourceRemoved', data: { sourceId } }] : [];
  });
}

/** Asks for a run, whatever the schedule says. */
export async function requestRun(
  services: CommandServices,
  context: CommandContext,
  sourceId: string,
): Promise<SourceResult> {
  const { sources, ...result } = await changeSources(services, context, ({ configured }) => {
    if (!configured.has(sourceId)) throw unknownSource();
    return [{ type: 'SourceRunRequested', data: { sourceId } }];
  });
  return { ...result, source: known(sources, sourceId), isNew: false };
}

async function change(
  services: CommandServices,
  context: CommandContext,
  sourceId: string,
  conditions: SourceConditions,
  configOf: (before: Source | undefined) => SourceConfig,
): Promise<SourceResult> {
  let isNew = false;
  const { tenant } = context.caller;
  const spaces = await services.spaces.of(tenant);
  const { sources, ...result } = await changeSources(services, context, (sources) => {
    assertMatches(sources, sourceId, conditions);
    const before = sources.configured.get(sourceId);
    isNew = !before;
    if (isNew && sources.configured.size >= maxSources)
      throw invalid('id', `a tenant may configure ${maxSources} sources: remove one first`);
    const { url, path, ...config } = configOf(before);
    const location = locationOf({ ...config, url, path });
    const placement = writablePlacement(context.caller, config, 'documents');
    assertKnownSpaces(spaces, config.spaces);
    const placed = { ...config, ...placement };
    if (before) assertSame(before, placed);
    return decideSource(sources, sourceId, { ...placed, location });
  });
  return { ...result, source: known(sources, sourceId), isNew };
}

/** Documents keep their type, layer and scope, so their source does, too. */
function assertSame(before: Source, after: Pick<Source, 'type' | 'layer' | 'scope'>): void {
  for (const field of ['type', 'layer', 'scope'] as const)
    if (canonicalJson({ of: before[field] }) !== canonicalJson({ of: after[field] }))
      throw invalid(field, 'is immutable: configure another source');
}

/** A configuration as a caller sends it. */
function sentConfig({ type, location, schedule, layer, scope, spaces, tags, enabled }: Source): JsonObject {
  const at = type === 'directory' ? { path: location } : { url: location };
  return { type, ...at, schedule, layer, scope: definedOf(scope), spaces, tags, enabled };
}

function definedOf(fields: Readonly<Record<string, string | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  );
}

async function changeSources(
  services: CommandServices,
  context: CommandContext,
  decide: (sources: Sources) => readonly SourceConfigEvent[],
): Promise<CommandResult & { readonly sources: Sources }> {
  const { tenant } = context.caller;
  const { history, position, replayed } = await changeStream<SourceConfigEvent>(services, context, {
    stream: sourcesStream(tenant),
    memoryId: '',
    decide: (loaded) => decide(foldSources(noSources, loaded)),
    key: () => tenantKey(services.vault, tenant),
  });
  // Whoever adds a source now is the caller.
  const sources = foldSources(
    noSources,
    history.map((each) => ({ metadata: { actor: actorOf(context.caller) }, ...each })),
  );
  return { sources, position, replayed };
}

function known({ configured }: Sources, sourceId: string): Source {
  const source = configured.get(sourceId);
  // A repeated command whose source has been removed since: its first answer is there no more.
  if (!source) throw unknownSource();
  return source;
}

function assertMatches({ configured }: Sources, sourceId: string, { match, isNew }: SourceConditions): void {
  const source = configured.get(sourceId);
  if (isNew && source)
    throw new Problem('revision-mismatch', 'If-None-Match is *, and the source is configured');
  if (match === undefined) return;
  if (!source)
    throw new Problem('revision-mismatch', 'If-Match names a configuration, and the source has none');
  if (match !== '*' && match !== source.revision)
    throw new Problem(
      'revision-mismatch',
      `If-Match does not name the revision ${source.revision} of the source`,
    );
}

export function unknownSource(): Problem {
  return new Problem('not-found', 'no such source');
}
