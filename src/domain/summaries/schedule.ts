import type { SummaryTrigger } from './events.ts';
import type { SummarySettings } from './settings.ts';

/** What has happened to a scope since its summaries were generated. Times are those of events, so that repeating them gives the same. */
export interface ScheduleState {
  readonly changes: number;
  readonly firstChangeAt?: Date | undefined;
  /** Position of the last change. */
  readonly position: number;
  /** When there were enough changes for new summaries. */
  readonly reachedAt?: Date | undefined;
  /** When a quoted memory was erased, deleted or replaced. */
  readonly invalidatedAt?: Date | undefined;
  readonly generatedAt?: Date | undefined;
}

export interface Due {
  readonly at: Date;
  readonly trigger: Exclude<SummaryTrigger, 'refresh' | 'context'>;
}

export const untouched: ScheduleState = { changes: 0, position: 0 };

/** Changes that belong together, such as those of an import, arrive within this time. */
const settleMs = 2_000;
/** Least time between two generations if quoted memories were erased, deleted or replaced. */
const urgentGapMs = 5_000;

/** Counts a change of a memory of the scope. */
export function afterChange(state: ScheduleState, at: Date, position: number): ScheduleState {
  return { ...state, changes: state.changes + 1, firstChangeAt: state.firstChangeAt ?? at, position };
}

/** Records that a quoted memory was erased, deleted or replaced; the first time counts. */
export function afterInvalidation(state: ScheduleState, at: Date): ScheduleState {
  return { ...state, invalidatedAt: state.invalidatedAt ?? at };
}

/**
 * New summaries include every change up to `readPosition`; later ones count for the next summaries. How many came later is not recorded,
 * so the count is an upper bound: at most one for each position.
 */
export function afterGeneration(state: ScheduleState, at: Date, readPosition: number): ScheduleState {
  const changes = Math.min(state.changes, Math.max(0, state.position - readPosition));
  return {
    changes,
    ...(changes > 0 && { firstChangeAt: at }),
    position: state.position,
    generatedAt: at,
  };
}

/** Records when the threshold for changes was reached. Settings that change later may move it. */
export function measured(
  state: ScheduleState,
  { updateOnChanges }: SummarySettings,
  at: Date,
): ScheduleState {
  const isReached = updateOnChanges !== undefined && state.changes >= updateOnChanges;
  return { ...state, reachedAt: isReached ? (state.reachedAt ?? at) : undefined };
}

/**
 * When new summaries are due, and why; undefined if none are. However many changes there are, summaries are generated once in a window.
 */
export function dueOf(state: ScheduleState, settings: SummarySettings, windowMs: number): Due | undefined {
  const { changes, firstChangeAt, reachedAt, invalidatedAt, generatedAt } = state;
  const { updateIntervalSeconds, skipIfUnchanged } = settings;
  const candidates: Due[] = [];
  if (invalidatedAt)
    candidates.push({
      trigger: 'invalidated',
      at: laterOf(plus(invalidatedAt, settleMs / 2), generatedAt, urgentGapMs),
    });
  if (reachedAt)
    candidates.push({ trigger: 'changes', at: laterOf(plus(reachedAt, settleMs), generatedAt, windowMs) });
  const since = generatedAt ?? firstChangeAt;
  if (updateIntervalSeconds !== undefined && since && (changes > 0 || !skipIfUnchanged))
    candidates.push({ trigger: 'interval', at: plus(since, updateIntervalSeconds * 1_000) });
  return candidates.reduce<Due | undefined>(
    (first, next) => (first && first.at <= next.at ? first : next),
    undefined,
  );
}

const plus = (at: Date, ms: number): Date => new Date(at.getTime() + ms);

function laterOf(at: Date, generatedAt: Date | undefined, gapMs: number): Date {
  const earliest = generatedAt && plus(generatedAt, gapMs);
  return earliest && earliest > at ? earliest : at;
}
