import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAssertion } from '../../src/domain/consistency/assertions.ts';
import { findDeclarations } from '../../src/domain/consistency/declared-supersessions.ts';
import {
  detectInconsistencies,
  inconsistencySteps,
} from '../../src/domain/consistency/detect-inconsistencies.ts';
import { shortTextOf } from '../../src/domain/consistency/short-texts.ts';
import { findUpdate, preparedIndex } from '../../src/domain/consistency/updates/find-update.ts';
import type { SentenceIndex } from '../../src/domain/consistency/updates/sentence-index.ts';
import { SupersessionGraph } from '../../src/domain/links/supersession-graph.ts';
import { asksPast } from '../../src/domain/ranking/asks-past.ts';
import { askedTimes } from '../../src/domain/ranking/dates.ts';
import { tellsChange } from '../../src/domain/ranking/tells-change.ts';
import { complexityOf } from '../../src/domain/routing/complexity.ts';
import { planOf } from '../../src/domain/routing/planner.ts';
import { readQuestion } from '../../src/domain/routing/planner/question.ts';
import { maxAgeOf } from '../../src/domain/routing/recency.ts';
import { namesIn, vocabularyRequestOf } from '../../src/domain/routing/vocabulary-request.ts';

const now = new Date('2026-02-10T12:00:00Z');
const noLinks = { supersessions: new SupersessionGraph([]), contradicts: [] };

/**
 * CPU time in milliseconds: the least of two runs, because the first one compiles and any run may collect garbage, and of up to six
 * while it is more than `limit`, because other work slows a run down.
 */
function workOf(run: () => unknown, limit = Infinity): number {
  let least = Infinity;
  for (let n = 0; n < 2 || (n < 6 && least > limit); n++) {
    const started = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(started);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

function expectWork(run: () => unknown, limit: number, of?: string): void {
  expect(workOf(run, limit), of).toBeLessThanOrEqual(limit);
}

/** A text that is four times as long may take eight times the work; with quadratic work it takes sixteen times. */
function expectLinear(run: (text: string) => unknown, textOf: (length: number) => string, length: number) {
  const [short, long] = [textOf(length / 4), textOf(length)];
  expectWork(() => run(long), 8 * workOf(() => run(short)) + 10, JSON.stringify(long.slice(0, 48)));
}

const repeated = (piece: string, end: string) => (length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length - end.length) + end;

const statement = (id: string, content: string, metadata: object = {}) =>
  ({ id, layer: 'user', scope: { user: 'ada' }, metadata, content }) as never;

describe('[I4] a question of the maximum length', () => {
  const readers: Readonly<Record<string, readonly [longest: number, read: (text: string) => unknown]>> = {
    askedTimes: [20_000, (text) => askedTimes(text, now)],
    asksPast: [20_000, (text) => asksPast(text, { months: [], periods: [] }, now)],
    maxAgeOf: [20_000, maxAgeOf],
    vocabularyRequestOf: [20_000, vocabularyRequestOf],
    // Both examine only 2,000 UTF-16 units.
    complexityOf: [2_000, complexityOf],
    planOf: [2_000, (text) => planOf(text, { fields: [], values: [] }, { now })],
  };
  const pieces = [
    [
      '\t',
      ' \n',
      'a',
      '茶a',
      '«',
      '“',
      '"',
      '"a" ',
      '“a” ',
      '(',
      '1.',
      '1',
      'a, ',
      "a's ",
      '@',
      'which a-b ',
    ],
    ['q1 ', 'May ', 'in Jan ', 'since   ', 'the start of   ', 'not before the ', '5 May 2020 '],
  ].flat();
  for (const [name, [longest, read]] of Object.entries(readers))
    it(`is read in linear time by ${name}`, () => {
      for (const piece of pieces) expectLinear(read, repeated(piece, 'x'), longest);
    });
});

it('finds the same quotations as a regular expression', () => {
  const parts = fc.array(fc.constantFrom('"', '“', '”', '«', '»', 'a', ' ', 'b c'), { maxLength: 24 });
  fc.assert(
    fc.property(parts, (list) => {
      const text = list.join('');
      const { tokens, quoted } = readQuestion(text);
      const found = [...text.matchAll(/"[^"]+"|“[^”]+”|«[^»]+»/gu)]
        .map(({ 0: match, index }) =>
          tokens.filter(({ start }) => start > index && start < index + match.length),
        )
        .filter((inside) => inside.length > 0);
      expect(quoted.map(({ from, to }) => tokens.slice(from, to))).toEqual(found);
    }),
    { numRuns: 1_000 },
  );
});

describe('[I4] a content without ordinary words', () => {
  const readers: Readonly<Record<string, (text: string) => unknown>> = {
    findDeclarations: (text) => findDeclarations(statement('a', text)),
    parseAssertion,
    shortTextOf,
    namesIn,
  };
  const pieces = ['a', ' ', '\r', '1', '’', '茶a', 'a-', 'a_1 ', 'Replaces: 5\n', 'a ', '- ', ':', '.'];
  for (const [name, read] of Object.entries(readers))
    it(`is read in linear time by ${name}`, () => {
      for (const piece of pieces) expectLinear(read, repeated(piece, 'x'), 200_000);
    });

  it('is read in linear time by tellsChange', () => {
    for (const piece of pieces) expectLinear(tellsChange, repeated(piece, 'x'), 40_000);
  });

  const indexOf = (text: string): SentenceIndex => {
    const steps = preparedIndex(text);
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value;
    }
  };

  /** A text of `count` sentences of the same length. */
  const sentences = (start: string, piece: string, count: number) => (length: number) =>
    `${start}${piece.repeat(600).slice(0, length / count)}! `.repeat(count);

  it('is split in time linear in the length of its sentences', () => {
    const pieces = [
      'The owner of the harbour moved 12 ferries to Lisbon on 5 May. ',
      '日本resid',
      '茶Via',
      'initialement',
      'SMS',
      'has been ',
      'A- ',
      'n’t a ',
      'ab ed ',
      '1,000',
    ];
    for (const piece of pieces) expectLinear(indexOf, sentences('', piece, 1_700), 1_000_000);
  });

  it('is compared with a note in time linear in the length of its sentences', () => {
    for (const piece of ['harbour ferries ', 'a', '1', 'a1', '茶', '5 kg to 7 kg, ', '3.5.1 AB ']) {
      const older = indexOf(sentences('The limit is now 5 kg ', piece, 6)(3_600));
      const compare = (length: number) => {
        const newer = indexOf(sentences('The limit is now 6 kg ', piece, 1_700)(length));
        return () => findUpdate({ older, newer, isOnePerson: true });
      };
      expectWork(compare(1_000_000), 8 * workOf(compare(250_000)) + 10, piece);
    }
  });
});

describe('[I4] the comparison of memories', () => {
  const memories = (count: number, metadata: (n: number) => object) =>
    Array.from({ length: count }, (_, n) => statement(`m${n}`, `m${n}`, metadata(n)));

  it('reads long values once per memory, not once per pair', () => {
    const long = 'a/'.repeat(25_000);
    const kinds: ((n: number) => object)[] = [
      (n) => ({ replaces: 'x', title: 'same', version: `${n} ${long}`, made_at: `${long}${n}` }),
      (n) => ({ replaces: Array.from({ length: 50 }, (_, i) => `${n}${i}${long.slice(0, 200)}`) }),
      (n) => ({ title: 'same', list: [n, ...Array.from({ length: 40_000 }, () => 'a')] }),
    ];
    for (const metadata of kinds) {
      const compare = (count: number) => () => detectInconsistencies(memories(count, metadata), noLinks);
      // 190 pairs instead of one.
      expectWork(compare(20), 40 * workOf(compare(2)) + 150);
    }
  });

  it('lets other work run after each memory and each pair, of which it compares fields and sentences', () => {
    const steps = inconsistencySteps(
      memories(10, () => ({})),
      noLinks,
    );
    let count = 0;
    while (!steps.next().done) count++;
    // Wording, fields and sentences of 10 memories; fields and sentences of 45 pairs.
    expect(count).toBeGreaterThanOrEqual(3 * 10 + 2 * 45);
  });
});
