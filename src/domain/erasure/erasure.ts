import type { ErasureEvent, ErasureTarget, FilesWhen, ClearedSurface } from './events.ts';

export interface SurfaceCount {
  readonly name: string;
  readonly count: number;
}

/** The keys that are destroyed, among what is counted. */
export const keysName = 'keys';

/** How far an erasure has come. */
export interface ErasureState {
  readonly erasureId: string;
  readonly target: ErasureTarget;
  readonly files: FilesWhen;
  /** Undefined until the surfaces were counted. */
  readonly counts?: readonly SurfaceCount[];
  readonly surfaces: readonly ClearedSurface[];
  /** The signed receipt of a complete erasure. */
  readonly receipt?: string;
}

/** Folds the events of an erasure; undefined if there are none. */
export function foldErasure(events: readonly ErasureEvent[]): ErasureState | undefined {
  let state: ErasureState | undefined;
  for (const { type, data } of events) {
    if (type === 'ErasureRequested') {
      const { erasureId, target, files, counts } = data;
      state ??= { erasureId, target, files, surfaces: pending(counts ?? []), ...(counts && { counts }) };
    }
    if (!state) continue;
    if (type === 'ErasureCounted') state = { ...state, counts: data.counts, surfaces: pending(data.counts) };
    else if (type === 'ErasureAdvanced') state = { ...state, surfaces: data.surfaces };
    else if (type === 'ErasureCompleted')
      state = { ...state, surfaces: data.surfaces, receipt: data.receipt };
  }
  return state;
}

function pending(counts: readonly SurfaceCount[]): ClearedSurface[] {
  return counts.map((each) => ({ ...each, state: 'pending' }));
}

/** Adds up what several lists count, by name, in the order of first mention. */
export function sumCounts(...lists: readonly (readonly SurfaceCount[])[]): SurfaceCount[] {
  const sums = new Map<string, number>();
  for (const { name, count } of lists.flat()) sums.set(name, (sums.get(name) ?? 0) + count);
  return [...sums].map(([name, count]) => ({ name, count }));
}
