import type { ReadyzAnswer } from '../../../packages/client/src/index.ts';

/** A read model or a reactor, with its figures or only its state. */
export type Reader = ReadyzAnswer['projections'][number];

/** Positions that may be unread without being late: there are always events of the last moment, if only of reading the audit. */
const usualLag = 100;

export function readerState(one: Reader): 'current' | 'behind' | 'parked' {
  if ('state' in one) return one.state === 'parked' ? 'parked' : 'current';
  if (one.parked > 0) return 'parked';
  return one.lag > usualLag ? 'behind' : 'current';
}
