import type { AuditEvent } from '@stratalog/client';
import type { Gain } from './verdicts.ts';

/** A comparison of recorded rankings with and without the values of memories. */
export interface ValueLook {
  readonly id: string;
  readonly at: string;
  readonly searches: number | undefined;
  /** Of nDCG. */
  readonly gain: Gain;
  /** By how much values count in the ranking from then on; 0 is not at all. */
  readonly weight: number;
}

const numberOf = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

/** Reads an event `ValuesCompared`. */
export function lookOf({ id, at, data }: Pick<AuditEvent, 'id' | 'at' | 'data'>): ValueLook {
  const interval: unknown[] = Array.isArray(data['interval']) ? data['interval'] : [];
  return {
    id,
    at,
    searches: numberOf(data['searches']),
    gain: {
      value: numberOf(data['gain']) ?? 0,
      low: numberOf(interval[0]),
      high: numberOf(interval[1]),
    },
    weight: numberOf(data['weight']) ?? 0,
  };
}
