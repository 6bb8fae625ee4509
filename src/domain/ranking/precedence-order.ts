import { precedence, scopesAgree, type Layer, type Scope } from '../layers.ts';
import type { ModelScale } from './calibration.ts';
import { DISTANCE } from './cut.ts';
import { likeness, type Substance } from './likeness.ts';
import { logOdds } from './score-scale.ts';

/** A result as the order by precedence sees it. */
export interface Ranked {
  readonly relevance: number;
  readonly layer: Layer;
  readonly scope: Scope;
  /** When it was last told (`lastToldAt`); milliseconds since the epoch. */
  readonly time: number;
  readonly substance: Substance;
  /** Whether its writer or an admin says that it does not hold. */
  readonly isRefuted?: boolean | undefined;
}

/**
 * Why a result is placed ahead of one with a higher score. `newer`: it was told later. `supersedes`: a link says so, or the other was
 * judged outdated or inaccurate. `more-specific`: of its layer. `named-scope`: it belongs to a scope that the request names.
 */
export const movedReasons = ['newer', 'supersedes', 'more-specific', 'named-scope'] as const;
export type Moved = (typeof movedReasons)[number];

/**
 * How alike two results must be to say the same with another value (`likeness`), fitted on everyday questions. In one layer two
 * statements about one thing are mostly about two matters of it ("The printer is in room 1.07", "The printer needs toner"), so both
 * must say almost the same; of two layers the more specific one comes first in either case.
 */
const SAME_THING = { ofOneLayer: 5, ofTwoLayers: 1.5 };
/** How alike a result must be to stand before one that is refuted: it is enough that both are about the same subject. */
const SAME_SUBJECT = -1.2;
/** Additional likeness required for each log-odd by which one result is behind the other. */
const PER_LOG_ODD = 0.4;
/** Only this many of the first results are compared with each other, because the work grows with the square of their number. */
const MOST_COMPARED = 200;

/** Log-odds by which a memory of a place that the request names is preferred. Fitted on everyday questions. */
const NAMED = 0.3;

/**
 * Orders results by relevance, with a small preference for memories whose own layer's identifier is in `scope`, the scope that
 * was requested: a question to a project is more often about the project's own memories than about the team's.
 */
export function namedFirst<Item>(
  items: readonly Item[],
  rankedOf: (item: Item) => Pick<Ranked, 'relevance' | 'layer' | 'scope'>,
  scope: Scope = {},
): readonly Item[] {
  if (Object.keys(scope).length === 0) return items;
  const preferred = (item: Item): number => {
    const ranked = rankedOf(item);
    return logOdds(ranked.relevance) + (isNamed(ranked, scope) ? NAMED : 0);
  };
  const keyed = items.map((item) => ({ item, key: preferred(item) }));
  // The difference of two infinite keys is not a number.
  return keyed
    .sort((left, right) => (left.key === right.key ? 0 : right.key - left.key))
    .map(({ item }) => item);
}

/** Whether the identifier of a memory's own layer is in the scope that was requested. */
export function isNamed({ layer, scope: own }: Pick<Ranked, 'layer' | 'scope'>, scope: Scope = {}): boolean {
  return layer !== 'company' && scope[layer] !== undefined && scope[layer] === own[layer];
}

/** Whether the first of two results belongs before the second, whatever their times and layers; undefined to leave it to these. */
export type Replaces<Item> = (one: Item, other: Item) => boolean | undefined;

/**
 * Orders results by precedence. The given order stays, except where one result replaces another, or two speak of the same thing: they
 * are of one place, alike, and nearly as relevant. Then the one of the more specific layer is placed directly before the other, and of
 * two of one layer the newer one, each together with what precedes it in the same way. Nothing is moved for another reason; `onMoved`
 * receives the reason of each result that is placed before another.
 */
export function byPrecedence<Item>(
  items: readonly Item[],
  rankedOf: (item: Item) => Ranked,
  scale: ModelScale,
  replaces: Replaces<Item> = () => undefined,
  onMoved: (item: Item, reason: Moved) => void = () => undefined,
): Item[] {
  const compared = items.slice(0, MOST_COMPARED).map((item) => comparable(item, rankedOf(item)));
  const placed = new Set<Item>();
  const waiting = new Set(compared);
  const place = (one: Comparable<Item>): void => {
    if (!waiting.delete(one)) return;
    const preceding = [...waiting].filter(
      (other) =>
        (other.isRefuted ? undefined : replaces(other.item, one.item)) ?? precedes(other, one, scale),
    );
    for (const other of preceding.sort(firstToLast)) {
      if (waiting.has(other)) onMoved(other.item, reasonOf(other, one));
      place(other);
    }
    placed.add(one.item);
  };
  compared.forEach(place);
  return [...placed, ...items.slice(MOST_COMPARED)];
}

function reasonOf(one: Comparable, before: Comparable): Moved {
  if (before.isRefuted && !one.isRefuted) return 'supersedes';
  return one.precedence < before.precedence ? 'more-specific' : 'newer';
}

interface Comparable<Item = unknown> extends Ranked {
  readonly item: Item;
  readonly logOdds: number;
  /** 1 for the most specific layer. */
  readonly precedence: number;
}

function comparable<Item>(item: Item, ranked: Ranked): Comparable<Item> {
  return { ...ranked, item, logOdds: logOdds(ranked.relevance), precedence: precedence(ranked.layer) };
}

/**
 * Whether `one` belongs before `other`. This has no cycles: what holds precedes what is refuted, and of two that are equal in this it
 * is always the more specific, or else the newer, that precedes.
 */
function precedes(one: Comparable, other: Comparable, scale: ModelScale): boolean {
  if (Boolean(one.isRefuted) !== Boolean(other.isRefuted))
    return (
      other.isRefuted === true &&
      scopesAgree(one.scope, other.scope) &&
      likeness(one.substance, other.substance, scale) >= SAME_SUBJECT
    );
  if (firstToLast(one, other) >= 0 || !scopesAgree(one.scope, other.scope)) return false;
  const behind = Math.max(0, other.logOdds - one.logOdds);
  if (behind > DISTANCE) return false;
  const required = SAME_THING[one.layer === other.layer ? 'ofOneLayer' : 'ofTwoLayers'];
  return likeness(one.substance, other.substance, scale) >= required + PER_LOG_ODD * behind;
}

/** The more specific layer first, then the newer. */
function firstToLast(one: Comparable, other: Comparable): number {
  return one.precedence - other.precedence || other.time - one.time;
}
