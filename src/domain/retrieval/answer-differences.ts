/** How an answer differs from an earlier one in one memory. `score`: in its place, with another relevance. */
export const differenceKinds = ['missing', 'added', 'moved', 'score'] as const;
export type DifferenceKind = (typeof differenceKinds)[number];

export const differenceCauses = ['erased', 'changed', 'model', 'weights', 'feedback', 'scope'] as const;
export type DifferenceCause = (typeof differenceCauses)[number];

/** A result as it is recorded, without its content. */
export interface RankedMemory {
  readonly memoryId: string;
  readonly relevance: number;
  /** Log-odds of the relevance that are from feedback. */
  readonly feedback?: number | undefined;
  /** Log-odds of the relevance that are from the value of the memory. */
  readonly value?: number | undefined;
}

export interface AnswerDifference {
  readonly id: string;
  readonly kind: DifferenceKind;
}

/** Vectors of one text that were computed in different batches differ in their last digits, and relevances with them. */
const sameRelevance = 0.005;
/** The same judgements, added in another order, differ by less. */
const sameFeedback = 1e-6;

/**
 * How the answer `after` differs from `before`, both best first: what is missing in the order of `before`, then what is added,
 * has moved or scores differently in the order of `after`. As few memories as possible count as moved.
 */
export function differencesOf(
  before: readonly RankedMemory[],
  after: readonly RankedMemory[],
): readonly AnswerDifference[] {
  const known = new Map(before.map((one, index) => [one.memoryId, { ...one, index }]));
  const left = new Set(after.map(({ memoryId }) => memoryId));
  const common = after.flatMap(({ memoryId: id }) => known.get(id) ?? []);
  const inPlace = new Set(longestRise(common.map(({ index }) => index)));
  const missing = before.filter(({ memoryId }) => !left.has(memoryId));
  return [
    ...missing.map(({ memoryId: id }) => ({ id, kind: 'missing' as const })),
    ...after.flatMap(({ memoryId: id, relevance }): AnswerDifference[] => {
      const old = known.get(id);
      if (!old) return [{ id, kind: 'added' }];
      if (!inPlace.has(old.index)) return [{ id, kind: 'moved' }];
      return Math.abs(relevance - old.relevance) > sameRelevance ? [{ id, kind: 'score' }] : [];
    }),
  ];
}

/** The longest increasing subsequence of distinct numbers. */
function longestRise(numbers: readonly number[]): readonly number[] {
  /** The smallest last number of a rise of each length, and what precedes it. */
  const ends: number[] = [];
  const previous = new Map<number, number | undefined>();
  for (const number of numbers) {
    let [low, high] = [0, ends.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! < number) low = middle + 1;
      else high = middle;
    }
    previous.set(number, ends[low - 1]);
    ends[low] = number;
  }
  const rise: number[] = [];
  for (let last = ends.at(-1); last !== undefined; last = previous.get(last)) rise.push(last);
  return rise.reverse();
}

/** What distinguishes the circumstances of two answers. */
export interface AnswerCircumstances {
  readonly before: readonly RankedMemory[];
  readonly after: readonly RankedMemory[];
  readonly isErased: (memoryId: string) => boolean;
  /** Whether the first event of a memory comes after the position of both answers. */
  readonly isLater: (memoryId: string) => boolean;
  readonly hasOtherModel: boolean;
  /** The earlier answer was chosen or put together by a policy that a search of the past does not follow. */
  readonly hasOtherRoute: boolean;
  /** What the caller could see then is not known exactly. */
  readonly isPresumed: boolean;
}

/**
 * Why an answer differs in a memory: by what is true of the memory itself or of the whole answer, then by what is true of
 * another memory of the answer, whose score or place decides about this one.
 */
export function causeOf({ id }: AnswerDifference, circumstances: AnswerCircumstances): DifferenceCause {
  const { before, after, isErased, isLater, hasOtherModel, hasOtherRoute, isPresumed } = circumstances;
  if (isErased(id)) return 'erased';
  // Its event was not yet counted in the position when it was already found.
  if (isLater(id)) return 'changed';
  if (hasOtherModel) return 'model';
  if (hasOtherRoute) return 'weights';
  const [old, own] = [before, after].map((some) => some.find(({ memoryId }) => memoryId === id));
  if (old?.value || own?.value) return 'feedback';
  if (old && own && Math.abs((old.feedback ?? 0) - (own.feedback ?? 0)) > sameFeedback) return 'feedback';
  if (before.some(({ memoryId }) => isErased(memoryId))) return 'erased';
  if (before.some(({ value }) => value)) return 'feedback';
  return isPresumed ? 'scope' : 'changed';
}
