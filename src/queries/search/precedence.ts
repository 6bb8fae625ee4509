import type { TenantContext } from '../../domain/access/context.ts';
import { lastToldAt } from '../../domain/memory/affirmation.ts';
import { asksPast } from '../../domain/ranking/asks-past.ts';
import type { ModelScale } from '../../domain/ranking/calibration.ts';
import { askedTimes, asksTime } from '../../domain/ranking/dates.ts';
import type { Substance } from '../../domain/ranking/likeness.ts';
import { DocumentVersions } from '../../domain/ranking/document-versions.ts';
import { byPrecedence, isNamed, namedFirst, type Moved } from '../../domain/ranking/precedence-order.ts';
import { SameMatter } from '../../domain/ranking/same-matter.ts';
import type { Clock } from '../../ports/clock.ts';
import { isOutdated } from '../current-view.ts';
import { timeOfAsking, type SearchRequest } from './query.ts';
import type { Scored } from './shortlist.ts';
import type { Substances } from './substances.ts';

/** Results are compared with each other among this many of the best: the vectors of all of them are read. */
export const maxCompared = 20;

/** What a search found, for the order by precedence. */
export interface Orderable {
  /** Best first. */
  readonly shown: readonly Scored[];
  /** Everything that the search found, best first: also what is not shown. */
  readonly found: readonly Scored[];
  /** Id of the model that compared meaning; without it results are compared by words. */
  readonly model: string | undefined;
  readonly scale: ModelScale;
  /** Whether to add what is newer and speaks of the same matter as the first result. */
  readonly addsNewer: boolean;
  /** The spaces with `versionTracking`, in which the right version of a document comes before the others; undefined if there are none. */
  readonly versioned?: ReadonlySet<string> | undefined;
}

/**
 * Orders results by precedence (`namedFirst`, then `byPrecedence` unless the question asks for the past), and may add newer ones of
 * the same matter from `found`. If vectors cannot be read, results are compared by words.
 */
export async function inPrecedence(
  caller: TenantContext,
  request: Pick<SearchRequest, 'query' | 'scope' | 'asOf' | 'now' | 'utcOffset'>,
  { shown, found, model, scale, addsNewer, versioned }: Orderable,
  { substances, clock }: { readonly substances: Substances; readonly clock: Clock },
): Promise<readonly Scored[]> {
  const { query, scope, utcOffset } = request;
  const best = namedFirst(shown, placeOf, scope);
  const others = found.slice(0, maxCompared).filter((one) => !best.includes(one));
  if (best.length + others.length < 2 || best.length === 0) return markNamed(best, scope);
  const now = timeOfAsking(request, clock);
  const times = askedTimes(query, now, utcOffset);
  if (asksPast(query, times, now ?? clock.now())) return markNamed(best, scope);
  const all = [...best, ...others];
  const byId = await substances.of(caller.tenant, all, model).catch((error: unknown) => {
    if (!isOutdated(error)) throw error;
    return substances.of(caller.tenant, all, undefined);
  });
  // A question about a time asks what was told of it, not what is current.
  const asksCurrent = !asksTime(times);
  return markNamed(arrange(best, others, byId, { query, scale, asksCurrent, addsNewer, versioned }), scope);
}

interface ArrangeOptions extends Pick<Orderable, 'scale' | 'addsNewer' | 'versioned'> {
  readonly query: string;
  /** The question asks what is current: a memory that replaces another one precedes it. */
  readonly asksCurrent: boolean;
}

/** `best` by precedence with what is added of the `others`; marks those that replace another one of them, or are replaced. */
function arrange(
  best: readonly Scored[],
  others: readonly Scored[],
  substances: ReadonlyMap<string, Substance>,
  { query, scale, asksCurrent, addsNewer, versioned }: ArrangeOptions,
): readonly Scored[] {
  const comparable = new Map(
    [...best, ...others].map((one) => [
      one,
      {
        ...placeOf(one),
        one,
        id: one.memory.id,
        text: one.memory.content,
        time: Date.parse(lastToldAt(one.memory)),
        substance: substances.get(one.memory.id)!,
        metadata: one.memory.metadata,
      },
    ]),
  );
  const compared = (one: Scored) => comparable.get(one)!;
  const versions = versioned && new DocumentVersions(query, scale);
  const byVersion = (one: Scored, other: Scored) =>
    isVersioned(one, versioned) && isVersioned(other, versioned)
      ? versions?.precedes(compared(one), compared(other))
      : undefined;
  const matter = new SameMatter([...comparable.values()].slice(0, maxCompared), { question: query, scale });
  const [first, ...rest] = best;
  const newer = addsNewer && asksCurrent ? matter.newerThan(compared(first!)).map(({ one }) => one) : [];
  const newestVersions = addsNewer ? others.filter((other) => byVersion(other, first!)) : [];
  const added = [...new Set([...newestVersions, ...newer])].filter((one) => !best.includes(one));
  const moved = new Map<Scored, Moved>(added.map((one) => [one, 'newer']));
  const ordered = byPrecedence(
    [first!, ...added, ...rest],
    compared,
    scale,
    (later, earlier) =>
      byVersion(later, earlier) ??
      ((asksCurrent && matter.replaces(compared(later), compared(earlier))) || undefined),
    (one, reason) => moved.set(one, reason),
  );
  const changed = matter.changed(asksCurrent ? ordered.map(compared) : []);
  return ordered.map((one) => ({
    ...one,
    moved: moved.get(one),
    ...(changed.has(compared(one)) && { isChanged: true }),
  }));
}

/** Whether it is in a space in which one version of a document stands before the others. */
function isVersioned({ memory }: Scored, versioned: Orderable['versioned']): boolean {
  return versioned !== undefined && memory.spaces.some((space) => versioned.has(space));
}

/** Marks results that `namedFirst` may have placed ahead of others. */
function markNamed(results: readonly Scored[], scope: SearchRequest['scope']): readonly Scored[] {
  return results.map((one) =>
    one.moved === undefined && isNamed(placeOf(one), scope) ? { ...one, moved: 'named-scope' } : one,
  );
}

function placeOf({ memory, score: relevance, isRefuted }: Scored) {
  return { relevance, layer: memory.layer, scope: memory.scope, isRefuted: isRefuted === true };
}
