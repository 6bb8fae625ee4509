/** A seeded random number generator. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** An integer in [least, most]. */
  int(least: number, most: number): number;
  pick<T>(items: readonly T[]): T;
  chance(probability: number): boolean;
  /** An independent generator, such as for one of several actors. */
  fork(): Random;
}

/** Mulberry32 (Tommy Ettinger, public domain): 32 bits of state, enough to choose test actions. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    int,
    pick: (items) => items[int(0, items.length - 1)]!,
    chance: (probability) => next() < probability,
    fork: () => randomOf(int(0, 2 ** 32 - 1)),
  };
}

/** The seed that the gate sets, so that its faults and random inputs are the same each time. */
export function givenSeed(): number | undefined {
  const seed = process.env['STRATALOG_TEST_SEED'];
  return seed === undefined ? undefined : Number(seed);
}

/** The seed of a fault test, printed so that STRATALOG_TEST_SEED can repeat it. */
export function faultSeed(test: string): number {
  const seed = givenSeed() ?? Math.floor(Math.random() * 2 ** 32);
  process.stdout.write(`${test}: STRATALOG_TEST_SEED=${seed}\n`);
  return seed;
}
