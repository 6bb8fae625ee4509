import { anyOf, allOf, occurredOrCreated } from '../../../domain/build-filter.ts';
import type { Filter } from '../../../domain/filter.ts';
import type { AskedTimes } from '../../../domain/ranking/dates.ts';
import type { CandidateQuery, CandidateSource, Hit } from './candidate-source.ts';

/** How many candidates are found within the periods that a question names, in addition to those found anywhere. */
export const candidatesInPeriods = 20;

/**
 * The filter for memories in the periods that a question names which pass `filter`; undefined if it names no period. No index can
 * return such memories in the order of a query: they are compared one by one.
 */
export function periodFilter({ periods }: AskedTimes, filter: Filter | undefined): Filter | undefined {
  if (periods.length === 0) return undefined;
  const within = anyOf(periods.map(occurredOrCreated));
  return filter ? allOf([filter, within]) : within;
}

/** Finds a few memories within the periods that a question names, by another source. */
export class InPeriodsSource implements CandidateSource {
  readonly inPeriods = true;
  readonly #source: CandidateSource;
  readonly #filter: Filter;

  constructor(source: CandidateSource, filter: Filter) {
    this.#source = source;
    this.#filter = filter;
  }

  get kind() {
    return this.#source.kind;
  }

  find(query: CandidateQuery): Promise<readonly Hit[]> {
    return this.#source.find({ ...query, filter: this.#filter }, candidatesInPeriods);
  }
}
