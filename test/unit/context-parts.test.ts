import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { assemblySteps } from '../../src/domain/context/assemble.ts';
import type { ContextCandidate } from '../../src/domain/context/candidate.ts';

function contextOf(candidates: readonly ContextCandidate[], budget: number) {
  const steps = assemblySteps({
    query: 'Compare the deploys of Helios and Selene.',
    budget,
    candidates,
    count: (text) => countTokens(text),
    asksPast: false,
    asksTime: false,
  });
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

const memory = (
  id: string,
  part: number | undefined,
  relevance: number,
  content: string,
): ContextCandidate => ({
  id,
  content,
  layer: 'team',
  time: '2026-02-04T00:00:00Z',
  relevance,
  part,
});
const ofHelios = [
  'Helios is deployed by the release train on Monday mornings, after the smoke tests have passed in staging.',
  'Helios deploys are approved by the release manager, who looks at the error budget of the last four weeks.',
  'Helios rolls back by itself if the error rate of the new version is above two percent for five minutes.',
  'Helios deploys are announced in the channel of the platform team at least one hour before they begin.',
].map((content, at) => memory(`h${at}`, 0, 0.9 - at / 100, content));
const ofSelene =
  'Selene is deployed by hand once a month. The person on duty copies the build to both machines and restarts them one after the other.';

describe('[E8] a question with several parts', () => {
  it('has something of each part in a small budget', () => {
    const candidates = [...ofHelios, memory('s', 1, 0.2, ofSelene)];
    const { items, tokenCount } = contextOf(candidates, 100);
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(['h0', 's']));
    expect(tokenCount).toBeLessThanOrEqual(100);
    const withoutParts = contextOf(
      candidates.map(({ part: _, ...one }) => one),
      100,
    );
    expect(withoutParts.items.map(({ id }) => id)).not.toContain('s');
  });

  it('cuts the best memory of a part to its share, and falls back to another one that fits', () => {
    const long = memory('long', 0, 0.9, `${'Helios has many machines. '.repeat(30)}`);
    const cut = contextOf([long, memory('s', 1, 0.2, ofSelene)], 100);
    expect(cut.items.map(({ kind, id }) => [kind, id])).toEqual([
      ['passage', 'long'],
      ['memory', 's'],
    ]);
    const unbroken = memory('unbroken', 0, 0.95, 'Helios '.repeat(60));
    const { items } = contextOf([unbroken, ...ofHelios, memory('s', 1, 0.2, ofSelene)], 100);
    expect(items.map(({ id }) => id)).toEqual(expect.arrayContaining(['h0', 's']));
  });

  it('is treated as one question if only one part was found', () => {
    const whole = ofHelios.map(({ part: _, ...one }) => one);
    expect(contextOf(ofHelios, 60).text).toBe(contextOf(whole, 60).text);
  });
});
