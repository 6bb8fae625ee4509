import type { TenantContext } from '../../domain/access/context.ts';
import {
  bucketOf,
  chooseArm,
  neighbourOf,
  openParameters,
  type Choice,
} from '../../domain/experience/choice.ts';
import { defaultArm, type ParameterName } from '../../domain/experience/parameters.ts';
import type { ExperienceSettings } from '../../domain/experience/settings.ts';
import { unlessBehind, type Wait } from '../read-models.ts';
import type { ExperienceReader } from './experience-reader.ts';
import type { FoundTrace, TraceReader } from './trace-reader.ts';

/** Maximum number of similar attempts that are taken into account. */
const maxNeighbours = 20;

export interface ExperienceDependencies {
  readonly traces: TraceReader;
  readonly records: ExperienceReader;
}

/** The question of a search, and the parameters that were sent with it; experience may choose the others. */
export interface OpenQuestion extends Wait {
  readonly query: string;
  readonly sent: Readonly<Partial<Record<ParameterName, unknown>>>;
  /** It asks what was known at an earlier position, which must not depend on what was learned since: nothing is chosen. */
  readonly isAsOf: boolean;
}

export interface Advice extends Choice {
  readonly bucket: string;
  /** False in the sessions that are the comparison, whatever this search chooses. */
  readonly applied: boolean;
  /** The similar attempts whose outcome is known, best first. */
  readonly neighbours: readonly FoundTrace[];
}

/** Uniform numbers, 0..1, that decide about one search. */
export interface Draws {
  /** Decides whether experience is applied; the same for all searches of a session. */
  readonly group: number;
  /** Decides whether the search explores; undefined if its outcome cannot be observed. */
  readonly exploration: number | undefined;
}

/** Chooses the parameters that a search leaves open, from what worked for similar questions. Chooses none if nothing is known. */
export async function adviseSearch(
  { traces, records }: ExperienceDependencies,
  caller: TenantContext,
  { query, sent, isAsOf, ...wait }: OpenQuestion,
  settings: ExperienceSettings,
  draws: Draws,
): Promise<Advice> {
  const bucket = bucketOf(query);
  const isApplied = settings.enabled && draws.group < settings.share;
  if (!isApplied || isAsOf)
    return { bucket, arm: defaultArm, by: 'kind', applied: isApplied, neighbours: [] };
  const open = openParameters(bucket, sent);
  // Experience is a help: a search does without it while its read models are built.
  const [known, neighbours] = await Promise.all([
    unlessBehind(records.records(caller.tenant), []),
    unlessBehind(traces.neighbours(caller, { query, limit: maxNeighbours, ...wait }), []),
  ]);
  const draw = settings.exploration ? draws.exploration : undefined;
  const choice = chooseArm(
    bucket,
    open,
    known,
    neighbours.flatMap(({ trace }) => neighbourOf(trace, open) ?? []),
    draw,
  );
  return { bucket, ...choice, applied: true, neighbours };
}
