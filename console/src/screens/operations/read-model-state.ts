import type { ListProjectionsAnswer, Projection } from '@stratalog/client';
import type { Bar } from '../../ui/bar.ts';

export type Generation = Projection['generations'][number];

/** A stream that waits because one of its events cannot be applied or handled. */
export interface ParkedStream {
  /** The read model or reactor. */
  readonly owner: string;
  /** Only of read models. */
  readonly generation: number | undefined;
  readonly stream: string;
  readonly position: number;
  readonly type: string;
  readonly error: string;
}

interface Totals {
  readonly largestLag: number;
  /** The read model or reactor with that lag; undefined if all are up to date. */
  readonly furthest: string | undefined;
  readonly parked: number;
  readonly rebuilding: number;
  readonly ready: number;
  /** Read models and reactors that no process runs. */
  readonly unattended: number;
}

export const liveOf = ({ generations }: Projection): Generation | undefined =>
  generations.find(({ active }) => active);

/** Whether a generation was built completely and can be switched to. */
export const readyOf = ({ generations }: Projection): Generation | undefined =>
  generations.find(({ state }) => state === 'ready');

/** The generation that queries return to. */
export const standbyOf = ({ generations }: Projection): Generation | undefined =>
  generations.filter(({ state }) => state === 'standby').toSorted((a, b) => b.generation - a.generation)[0];

export function totalsOf(answer: ListProjectionsAnswer): Totals {
  const [furthest] = lagsOf(answer);
  return {
    largestLag: furthest?.value ?? 0,
    furthest: furthest?.name,
    parked: parkedOf(answer).length,
    rebuilding: answer.items.filter(({ rebuilding }) => rebuilding !== undefined).length,
    ready: answer.items.filter((item) => readyOf(item) !== undefined).length,
    unattended:
      answer.items.filter((item) => liveOf(item)?.lock === 'free').length +
      answer.reactors.filter(({ lock }) => lock === 'free').length,
  };
}

/** Lags above 0 of live generations and reactors, the largest first. */
export function lagsOf({ items, reactors }: ListProjectionsAnswer): Bar[] {
  return [
    ...items.map((item) => ({ name: item.name, value: liveOf(item)?.lag ?? 0 })),
    ...reactors.map(({ name, lag }) => ({ name, value: lag })),
  ]
    .filter(({ value }) => value > 0)
    .toSorted((a, b) => b.value - a.value);
}

export function parkedOf({ items, reactors }: ListProjectionsAnswer): ParkedStream[] {
  return [
    ...items.flatMap(({ name, parked }) => parked.map((one) => ({ owner: name, ...one }))),
    ...reactors.flatMap(({ name, parked }) =>
      parked.map((one) => ({ owner: name, generation: undefined, ...one })),
    ),
  ];
}

/** Share of the log that a rebuild has read, 0 to 1. */
export const progressOf = ({
  position,
  head,
}: {
  readonly position: number;
  readonly head: number;
}): number => (head <= 0 ? 1 : Math.min(1, Math.max(0, position / head)));

/** Read models that need a hand first: parked, failed, being rebuilt, ready to switch, and then by their lag. */
export function byUrgency(items: readonly Projection[]): Projection[] {
  const rank = (item: Projection): number => {
    if (item.parked.length > 0) return 0;
    if (item.generations.some(({ error, state }) => error !== undefined || state === 'failed')) return 1;
    if (item.rebuilding !== undefined) return 2;
    if (readyOf(item) !== undefined) return 3;
    return 4;
  };
  return items.toSorted(
    (a, b) =>
      rank(a) - rank(b) || (liveOf(b)?.lag ?? 0) - (liveOf(a)?.lag ?? 0) || a.name.localeCompare(b.name),
  );
}
