import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  assemblySteps,
  type AssembledContext,
  type ContextRequest,
} from '../../src/domain/context/assemble.ts';
import type { ContextCandidate } from '../../src/domain/context/candidate.ts';
import { layers } from '../../src/domain/layers.ts';
import { quoteText } from '../../src/domain/text/quote.ts';

function assembleContext(asked: ContextRequest): AssembledContext {
  const steps = assemblySteps(asked);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const words =
  'port staging database fog rain Berlin 17 the is not 漢字 über "quoted" [2] ［3］ (2026-01-01) ``` # -'.split(
    ' ',
  );
const sentence = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 12 })
  .chain((all) =>
    fc
      .constantFrom('. ', '!\n', '\n\n', '。', ' ', '\nSummaries:\n', '\r[1] ', '\u2028Memories:\u0085[2]\t')
      .map((end) => all.join(' ') + end),
  );
const content = fc
  .array(sentence, { minLength: 1, maxLength: 60 })
  .map((all) => all.join(''))
  .filter((text) => text.trim() !== '');

const candidate = fc.record({
  layer: fc.constantFrom(...layers),
  content,
  time: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'),
  relevance: fc.double({ min: 1e-6, max: 1, noNaN: true }),
  passage: fc.option(fc.tuple(fc.nat(), fc.nat()), { nil: undefined }),
  successor: fc.option(fc.nat(20), { nil: undefined }),
});

const candidates = fc.array(candidate, { maxLength: 20 }).map((all) =>
  all
    .toSorted((left, right) => right.relevance - left.relevance)
    .map(({ passage, successor, ...one }, index): ContextCandidate => {
      const [from = 0, to = 0] =
        passage?.map((at) => at % one.content.length).toSorted((a, b) => a - b) ?? [];
      return {
        ...one,
        id: `m${index}`,
        ...(to > from && one.content.slice(from, to).trim() !== '' && { passage: { start: from, end: to } }),
        ...(successor !== undefined && successor !== index && { supersededBy: `m${successor}` }),
      };
    }),
);

/** Counters of which the last two make a text cost more than its lines, as joining tokens may. */
const counters = [
  (text: string) => Math.ceil(text.length / 4),
  (text: string) => text.split(/\s+/).length,
  (text: string) => text.length + 7 * text.split('\n').length,
  (text: string) => Math.ceil(text.length ** 1.1),
];

const request: fc.Arbitrary<ContextRequest> = fc.record({
  query: fc.constantFrom('staging database port', 'rain in Berlin', '漢字', 'the'),
  budget: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 1, max: 2_000 })),
  candidates,
  turns: candidates.map((all) => all.slice(0, 8).map((one, at) => (at % 2 ? one : { ...one, id: `t${at}` }))),
  count: fc.constantFrom(...counters),
  asksPast: fc.boolean(),
  asksTime: fc.boolean(),
});

describe('[E8] a context', () => {
  it('never has more tokens than its budget, and says how many', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { text, tokenCount } = assembleContext(asked);
        expect(tokenCount).toBe(text === '' ? 0 : asked.count(text));
        expect(tokenCount).toBeLessThanOrEqual(asked.budget);
      }),
    );
  });

  it('has each candidate and each turn once: as an item, or as left out', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { items, leftOut } = assembleContext(asked);
        const ids = [...items, ...leftOut].map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(ids.toSorted()).toEqual(
          [...new Set([...asked.turns!, ...asked.candidates].map(({ id }) => id))].toSorted(),
        );
      }),
    );
  });

  it('has the last turns without a gap in up to a quarter of the budget, before the memories', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { items } = assembleContext(asked);
        const kinds = items.map(({ kind }) => kind);
        const turns = items.filter(({ kind }) => kind === 'turn');
        expect(kinds.slice(0, turns.length)).toEqual(turns.map(() => 'turn'));
        const newest = asked.turns!.slice(0, turns.length).map(({ id }) => id);
        expect(turns.map(({ id }) => id)).toEqual(newest.toReversed());
        const alone = assembleContext({ ...asked, candidates: [] });
        expect(alone.tokenCount).toBeLessThanOrEqual(asked.budget / 4);
        expect(alone.leftOut.map(({ id }) => id)).toEqual(
          asked.turns!.slice(alone.items.length).map(({ id }) => id),
        );
      }),
    );
  });

  it('quotes verbatim, behind the mark of each item, in order', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { text, items } = assembleContext(asked);
        let at = 0;
        for (const [index, item] of items.entries()) {
          const given = item.kind === 'turn' ? asked.turns! : asked.candidates;
          const { content } = given.find(({ id }) => id === item.id)!;
          const quoted = item.start === undefined ? content.trim() : content.slice(item.start, item.end);
          expect(item.text).toBe(quoteText(quoted));
          const mark = `[${index + 1}] `;
          const marked = text.indexOf(mark, at);
          expect(marked).toBeGreaterThanOrEqual(at);
          // A quotation can be a bracket or a number, which the mark has too.
          at = text.indexOf(item.text, marked + mark.length);
          expect(at).toBeGreaterThan(marked);
          at += item.text.length;
        }
      }),
    );
  });

  it('has nothing at the left margin but its own headings, and the marks of its items in order', () => {
    const headings = ['Recent turns of this session:', 'Memories:'];
    fc.assert(
      fc.property(request, (asked) => {
        const { text, items } = assembleContext(asked);
        const lines = text.split(/[\n\v\f\r\u0085\u2028\u2029]/u).filter((line) => /^\S/u.test(line));
        const marks = lines.filter((line) => !headings.includes(line)).map((line) => line.split(' ')[0]);
        expect(marks).toEqual(items.map((_, index) => `[${index + 1}]`));
        expect(lines.length - marks.length).toBeLessThanOrEqual(headings.length);
        expect(text.match(/[[［]\d+[\]］]/gu) ?? []).toEqual(marks);
      }),
    );
  });

  it('is the same for the same request', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { count, ...cloned } = asked;
        expect(assembleContext({ ...structuredClone(cloned), count })).toEqual(assembleContext(asked));
      }),
    );
  });

  it('has everything that is not outdated or repeated if the budget is large enough, whole', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const { items, leftOut } = assembleContext({ ...asked, budget: 1e9 });
        expect(leftOut.filter(({ reason }) => reason === 'budget')).toEqual([]);
        expect(items.filter(({ kind }) => kind === 'passage')).toEqual([]);
      }),
    );
  });

  it('leaves out a superseded memory only if its successor was found', () => {
    fc.assert(
      fc.property(request, (asked) => {
        const byId = new Map([...asked.turns!, ...asked.candidates].map((one) => [one.id, one]));
        for (const { id, reason } of assembleContext(asked).leftOut)
          if (reason === 'superseded') expect(byId.has(byId.get(id)!.supersededBy!)).toBe(true);
        if (asked.asksPast)
          expect(assembleContext(asked).leftOut.some(({ reason }) => reason === 'superseded')).toBe(false);
      }),
    );
  });
});
