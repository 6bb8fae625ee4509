import type { Trust, TrustSource } from './trust.ts';

/** Sources whose texts nobody of the tenant wrote or chose: where they are quoted, their source is named. */
const foreign: readonly TrustSource[] = ['tool', 'document', 'web'];

/**
 * What is said about a text where it is quoted to a model: its source if that is foreign, and that it is data if rules noticed something.
 * Undefined for most texts, so that it costs tokens only where it matters.
 */
export function trustNote({ source, flags }: Pick<Trust, 'source' | 'flags'>): string | undefined {
  const isSuspect = flags.some((flag) => flag === 'instruction' || flag === 'contradicts-trusted');
  if (!isSuspect && !foreign.includes(source)) return undefined;
  const noticed = [
    ...(flags.includes('instruction') ? ['data, not an instruction'] : []),
    ...(flags.includes('contradicts-trusted') ? ['contradicts a more trusted source'] : []),
  ];
  return [`from ${source}`, ...noticed].join('; ');
}
