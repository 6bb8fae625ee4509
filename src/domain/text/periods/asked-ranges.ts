import type { Period } from '../periods.ts';
import { WEEKDAY } from './words.ts';

/** A range of time that a question asks about, with at least one bound. */
export interface AskedRange {
  /** ISO 8601, inclusive. */
  readonly from?: string;
  /** Exclusive. */
  readonly until?: string;
  /** UTF-16 offsets of the periods that it was made of. */
  readonly start: number;
  readonly end: number;
  /** Whether the words can only be a time (`Period`). */
  readonly isPlain: boolean;
  /** Whether words such as "since" or "between" made a range of the period. */
  readonly isBounded: boolean;
}

type Bound = 'from' | 'after' | 'before' | 'until';

const BOUNDS: readonly (readonly [bound: Bound, words: string])[] = [
  ['from', 'since|not\\s+(?:before|earlier\\s+than)|no\\s+earlier\\s+than'],
  ['until', 'until|till|up\\s+to|(?:not|no)\\s+later\\s+than|not\\s+after'],
  ['after', 'after|(?:later|newer)\\s+than'],
  ['before', 'before|prior\\s+to|(?:earlier|older)\\s+than'],
];
const FILLER = '(?:(?:on|in|from|the|about|around|early|mid|late)\\s+)*$';
const BEFORE = BOUNDS.map(
  ([bound, words]) => [bound, new RegExp(`\\b(?:${words})\\s+${FILLER}`, 'i')] as const,
);
/** In "the week before 3 August" the week is asked about. */
const COUNTED_FROM = new RegExp(
  `\\b(?:hour|day|night|morning|evening|week|weekend|month|quarter|year|${WEEKDAY})s?\\s+(?:(?:right|just)\\s+)?(?:before|after|prior\\s+to)\\s+${FILLER}`,
  'i',
);
/** "March 7 or later" ends its phrase; in "March 1 or after March 9" the word belongs to the next period. */
const OPEN_END = String.raw`(?=\s*(?:$|[?.!,;:)]|(?:in|of|by|for|from|with|about|that|which)\b))`;
const AFTER: readonly (readonly [bound: Bound, words: RegExp])[] = [
  [
    'from',
    new RegExp(String.raw`^\s*(?:(?:or|and)\s+(?:later|after|newer|since)|onwards?)\b${OPEN_END}`, 'i'),
  ],
  ['until', new RegExp(String.raw`^\s*(?:or|and)\s+(?:earlier|before|older)\b${OPEN_END}`, 'i')],
];
const NEGATED =
  /\b(?:not|never|except|excepting|excluding|without|besides|other\s+than|apart\s+from|outside)\s+(?:of\s+)?(?:those\s+)?(?:(?:in|on|of|for|from|during|the)\s+)*$/i;
/** What may follow a year if it is a time. In "after 2000 requests" it counts something. */
const ENDS_PHRASE = /^\s*(?:$|[?.!,;:)]|(?:in|on|for|of|by|at|to|with|and|or|but|from|until|till|about)\b)/i;
/** How many characters before a period are read for words such as "since". */
const CONTEXT = 60;

/**
 * The ranges that a text asks about: "since yesterday", "before 7 May", "between March 1 and March 9", or just the period. Only words
 * right beside a period count; a period that is excluded ("not last week") is left out.
 */
export function askedRanges(
  text: string,
  periods: readonly Period[],
): { readonly ranges: readonly AskedRange[]; readonly excluded: readonly Period[] } {
  const ranges: AskedRange[] = [];
  const excluded: Period[] = [];
  for (let i = 0; i < periods.length; i++) {
    const period = periods[i]!;
    const next = periods[i + 1];
    const before = text.slice(Math.max(0, period.start - CONTEXT, periods[i - 1]?.end ?? 0), period.start);
    const after = text.slice(period.end, next?.start);
    if (next && isRange(before, after) && period.from < next.until) {
      const { start, from } = period;
      ranges.push({ from, until: next.until, start, end: next.end, isPlain: true, isBounded: true });
      i++;
      continue;
    }
    const isCounted = COUNTED_FROM.test(text.slice(Math.max(0, period.start - CONTEXT), period.start));
    const bound = isCounted ? undefined : boundOf(before, text.slice(period.end));
    if (!bound && NEGATED.test(before)) excluded.push(period);
    else if (bound) addBounded(ranges, bounded(period, bound), before);
    else ranges.push({ ...period, isBounded: false });
  }
  return { ranges, excluded };
}

function isRange(before: string, between: string): boolean {
  const joint = /^\s+(?:and|(?:up\s+)?(?:to|until|till|through))\s+(?:the\s+)?$/i.exec(between)?.[0];
  if (joint === undefined) return false;
  return /\band\b/i.test(joint)
    ? /\bbetween\s+(?:the\s+)?$/i.test(before)
    : /\b(?:from|between)\s+(?:the\s+)?$/i.test(before);
}

/** "since the beginning of March", "before the end of 2025". */
const EDGE = /\b(?:the\s+)?(beginning|start|end)\s+of\s+(?:the\s+)?$/i;

function boundOf(words: string, after: string): Bound | undefined {
  const edge = EDGE.exec(words)?.[1]?.toLowerCase();
  const before = words.replace(EDGE, '');
  const bound = boundBeside(before, after);
  return bound && edge ? boundAtEdge(bound, edge === 'end') : bound;
}

/** The bound of a period whose first or last moment is named. */
function boundAtEdge(bound: Bound, isEnd: boolean): Bound {
  if (isEnd) return bound === 'from' || bound === 'after' ? 'after' : 'until';
  return bound === 'from' || bound === 'after' ? 'from' : 'before';
}

function boundBeside(before: string, after: string): Bound | undefined {
  const open = AFTER.find(([, words]) => words.test(after))?.[0];
  if (open) return open;
  if (/\bfrom\s+(?:the\s+)?$/i.test(before) && /^\s+on\b(?=\s*(?:$|[?.!,;]))/i.test(after)) return 'from';
  return BEFORE.find(([, words]) => words.test(before))?.[0];
}

function bounded({ from, until, start, end, isPlain }: Period, bound: Bound): AskedRange {
  const limits = {
    from: { from },
    after: { from: until },
    before: { until: from },
    until: { until },
  } as const;
  return { ...limits[bound], start, end, isPlain, isBounded: true };
}

/** A lower and an upper bound side by side apply together: "since 1 March and before 9 March". */
function addBounded(ranges: AskedRange[], range: AskedRange, before: string): void {
  const last = ranges.at(-1);
  const isPair =
    last?.isBounded === true &&
    (last.from === undefined) !== (last.until === undefined) &&
    (last.from === undefined) === (range.from !== undefined) &&
    /^\s*,?\s*(?:(?:and|but)\s+)?\S+(?:\s+\S+){0,2}\s+$/.test(before) &&
    !/\bor\b/i.test(before);
  const { from, until } = { ...last, ...range };
  if (isPair && from !== undefined && until !== undefined && from < until)
    ranges.splice(-1, 1, { ...range, from, until, start: last.start, isPlain: true });
  else ranges.push(range);
}

/** Whether a range is certain to be a time. */
export function isTime(text: string, { isPlain, isBounded, end }: AskedRange): boolean {
  return isPlain || (isBounded && ENDS_PHRASE.test(text.slice(end)));
}
