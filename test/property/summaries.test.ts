import * as fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { depths, tokensOfDepth } from '../../src/domain/summaries/depths.ts';
import { extract, type Source } from '../../src/domain/summaries/extract.ts';
import { importanceOf } from '../../src/domain/summaries/importance.ts';
import { summaryScopeKey, summaryScopeOf } from '../../src/domain/summaries/summary-scope.ts';
import { layers, scopeKeys } from '../../src/domain/layers.ts';
import { sentencesOf } from '../../src/domain/text/sentences.ts';

const count = (text: string): number => countTokens(text);

const word = fc.constantFrom(
  ...'release index vector budget rollout Kafka latency Berlin Dr. owner policy 2.5 Übergabe 検索 を 終わる décision الفريق'.split(
    ' ',
  ),
);
const sentence = fc
  .tuple(fc.array(word, { minLength: 1, maxLength: 40 }), fc.constantFrom('.', '!', '。', '', '\n'))
  .map(([words, end]) => `${words.join(' ')}${end}`);
const content = fc.oneof(
  { weight: 8, arbitrary: fc.array(sentence, { minLength: 1, maxLength: 5 }).map((all) => all.join(' ')) },
  { weight: 1, arbitrary: fc.string({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }) },
);
const sources: fc.Arbitrary<Source[]> = fc
  .array(
    fc.record({
      content,
      revision: fc.nat(5),
      time: fc.integer({ min: 0, max: 10 }).map((day) => new Date(Date.UTC(2026, 0, 1 + day))),
      importance: fc.double({ min: 0.01, max: 1, noNaN: true }),
    }),
    { maxLength: 30 },
  )
  .map((all) => all.map((source, index) => ({ ...source, id: `m${index}` })));

/** The quotations of a summary with the source that each is marked with. */
function quotationsOf(text: string): { readonly text: string; readonly mark: number }[] {
  return [...text.matchAll(/(.+?) \[(\d+)\](?: |$)/gsu)].map(([, quoted, mark]) => ({
    text: quoted!,
    mark: Number(mark),
  }));
}

describe('extractive summaries', () => {
  it('[E1] have no more tokens than their depth, and count them', () => {
    fc.assert(
      fc.property(sources, (all) => {
        for (const { depth, content, tokenCount } of extract(all, depths, count)) {
          expect(tokenCount).toBe(count(content));
          expect(tokenCount).toBeLessThanOrEqual(tokensOfDepth[depth]);
          expect(content).not.toBe('');
        }
      }),
    );
  });

  it('[E1] quote memories word for word, with a mark for each', () => {
    const plain = fc.array(
      fc.array(fc.constantFrom(...'alpha beta gamma delta epsilon zeta'.split(' ')), {
        minLength: 3,
        maxLength: 9,
      }),
      {
        minLength: 1,
        maxLength: 20,
      },
    );
    fc.assert(
      fc.property(plain, (texts) => {
        const all = texts.map((words, index) => ({
          id: `m${index}`,
          revision: index,
          content: `${words.join(' ')}. The ${words.at(-1)} of ${index}.`,
          time: new Date(index),
          importance: 0.5,
        }));
        for (const { content, sources } of extract(all, depths, count)) {
          const quotations = quotationsOf(content);
          expect(quotations.length).toBeGreaterThan(0);
          expect(new Set(quotations.map(({ mark }) => mark)).size).toBe(sources.length);
          for (const { text, mark } of quotations) {
            const { id, revision } = sources[mark - 1]!;
            const source = all.find((one) => one.id === id)!;
            expect(revision).toBe(source.revision);
            for (const { start, end } of sentencesOf(text))
              expect(source.content).toContain(text.slice(start, end));
          }
        }
      }),
    );
  });

  it('[E1] are the same for every order of the sources', () => {
    fc.assert(
      fc.property(
        sources.chain((all) =>
          fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
        ),
        ([all, shuffled]) => {
          expect(extract(shuffled, depths, count)).toEqual(extract(all, depths, count));
        },
      ),
    );
  });

  it('[E3] have the depths that are asked for, and none without words', () => {
    const source = {
      id: 'm',
      revision: 0,
      content: 'We cut releases on Mondays.',
      time: new Date(0),
      importance: 1,
    };
    expect(extract([source], ['paragraph'], count).map(({ depth }) => depth)).toEqual(['paragraph']);
    expect(extract([{ ...source, content: '…' }], depths, count)).toEqual([]);
    expect(extract([], depths, count)).toEqual([]);
  });

  it('[E1] quote a short memory whole or not at all', () => {
    const short = Array.from({ length: 12 }, (_, n) => ({
      id: `m${n}`,
      revision: 0,
      content: `Pump ${n} of hall ${n % 5} is new. It runs on ${['oil', 'gas', 'air'][n % 3]}. Ask team ${n % 7}.`,
      time: new Date(n),
      importance: 0.5,
    }));
    for (const { content, sources } of extract(short, depths, count))
      for (const [index, { id }] of sources.entries())
        expect(content).toContain(`${short.find((one) => one.id === id)!.content} [${index + 1}]`);
  });

  it('[E1] say a thing once', () => {
    const all = [
      'The cache of the gateway expires after ten minutes',
      'The gateway cache expires after ten minutes.',
    ];
    const both = all.map((text, index) => ({
      id: `m${index}`,
      revision: 0,
      content: text,
      time: new Date(index),
      importance: 0.5,
    }));
    expect(extract(both, ['detailed'], count)[0]!.sources).toHaveLength(1);
  });

  it('[E1] cut a sentence that is too long, within the budget, and any text without spaces', () => {
    for (const text of [`We ${'really '.repeat(300)}like it`, '我们'.repeat(900), 'x'.repeat(5_000)]) {
      const source = { id: 'm', revision: 0, content: text, time: new Date(0), importance: 1 };
      const [summary] = extract([source], ['sentence'], count);
      expect(summary!.tokenCount).toBeLessThanOrEqual(tokensOfDepth.sentence);
      expect(text.startsWith(summary!.content.replace(/… \[1\]$/, ''))).toBe(true);
    }
  });
});

describe('importance of a memory', () => {
  const newest = new Date('2026-06-01');
  const use = { time: newest, accesses: 0, judgements: [] };

  it('grows with use, helpful feedback and recency, and is between 0 and 1', () => {
    const plain = importanceOf(use, newest);
    expect(importanceOf({ ...use, accesses: 20 }, newest)).toBeGreaterThan(plain);
    expect(importanceOf({ ...use, judgements: [{ kind: 'helpful', score: 1 }] }, newest)).toBeGreaterThan(
      plain,
    );
    expect(importanceOf({ ...use, judgements: [{ kind: 'inaccurate', score: -1 }] }, newest)).toBeLessThan(
      plain,
    );
    expect(importanceOf({ ...use, time: new Date('2025-01-01') }, newest)).toBeLessThan(plain);
    expect(importanceOf({ ...use, time: new Date(0) }, newest)).toBeGreaterThan(0);
    expect(importanceOf({ ...use, accesses: 1e9 }, newest)).toBeLessThanOrEqual(1);
  });
});

describe('the scope of a summary', () => {
  const scope = Object.fromEntries(scopeKeys.map((key) => [key, `a-${key}`]));

  it('is named by the identifier of its layer, and by the user for sessions and agents', () => {
    expect(
      layers.map((layer) => Object.keys(summaryScopeOf({ layer, scope }).scope).sort().join(' ')),
    ).toEqual(['agent user', 'user', 'session user', 'project', 'team', 'org', '']);
  });

  it('has one key, and two scopes have two', () => {
    const keys = layers.map((layer) => summaryScopeKey(summaryScopeOf({ layer, scope })));
    expect(new Set(keys).size).toBe(layers.length);
    expect(summaryScopeKey(summaryScopeOf({ layer: 'session', scope: { session: 's' } }))).not.toBe(
      summaryScopeKey(summaryScopeOf({ layer: 'session', scope: { session: 's', user: 'u' } })),
    );
  });
});
