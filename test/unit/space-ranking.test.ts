import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decayOf } from '../../src/domain/ranking/decay.ts';
import { DocumentVersions } from '../../src/domain/ranking/document-versions.ts';
import { UNKNOWN_MODEL } from '../../src/domain/ranking/scales.ts';
import {
  compareVersions,
  parseVersion,
  versionsIn,
  withoutVersion,
} from '../../src/domain/ranking/versions.ts';
import { decayRateOf, rankingRulesOf } from '../../src/domain/spaces/ranking-rules.ts';
import { defaultSpace, type SpaceConfig } from '../../src/domain/spaces/space-config.ts';
import { noSpaces, type Spaces } from '../../src/domain/spaces/spaces.ts';
import { termCounts } from '../../src/domain/text/tokens.ts';

const day = 86_400_000;

describe('[H1] the decay of a memory', () => {
  it.each([
    [0.2, 0.06, 0.56],
    [0.5, 0.15, 0.87],
    [0.8, 0.23, 0.96],
  ])('takes, at the rate %d, %d log-odds after 30 days and %d after a year', (rate, month, year) => {
    expect(-decayOf(rate, 30 * day)).toBeCloseTo(month, 2);
    expect(-decayOf(rate, 365 * day)).toBeCloseTo(year, 2);
  });

  it('is bounded, grows with age and rate, and is nothing at the rate 0 or in the future', () => {
    const rates = fc.double({ min: 0, max: 1, noNaN: true });
    const ages = fc.integer({ min: -day, max: 100_000 * day });
    fc.assert(
      fc.property(rates, rates, ages, ages, (rate, other, age, otherAge) => {
        expect(decayOf(rate, age)).toBeLessThanOrEqual(0);
        expect(decayOf(rate, age)).toBeGreaterThanOrEqual(-1);
        expect(decayOf(Math.max(rate, other), Math.max(age, otherAge))).toBeLessThanOrEqual(
          decayOf(rate, age),
        );
        expect(decayOf(0, age)).toBe(0);
      }),
    );
    expect(decayOf(1, -1)).toBe(0);
  });

  it('has the lowest rate of the spaces of the memory', () => {
    const rules = rankingRulesOf(
      spacesOf({ fast: { temporalDecayRate: 0.8 }, slow: { temporalDecayRate: 0.2 } }),
    )!;
    expect(decayRateOf(rules, ['fast', 'slow'])).toBe(0.2);
    expect(decayRateOf(rules, ['fast'])).toBe(0.8);
    expect(decayRateOf(rules, ['fast', 'plain'])).toBe(0);
    expect(decayRateOf(rules, [])).toBe(0);
  });

  it('is not looked for where no space says anything about the order', () => {
    expect(rankingRulesOf(noSpaces)).toBeUndefined();
    expect(rankingRulesOf(spacesOf({ notes: { retentionDays: 3 } }))).toBeUndefined();
  });
});

describe('[H1] versions', () => {
  it.each([
    ['Winter_25', 'Summer_24'],
    ["Spring '25", 'Winter 25'],
    ['Winter 2025', 'Summer 24'],
    ['1.10', '1.9'],
    ['v2', '1.9.9'],
    ['2.0', '2.0-rc.1'],
    ['2026-02-01', '2026-01-31'],
    [62, 'v61'],
  ])('%s is later than %s', (later, earlier) => {
    const [left, right] = [parseVersion(later)!, parseVersion(earlier)!];
    expect(compareVersions(left, right)).toBeGreaterThan(0);
    expect(compareVersions(right, left)).toBeLessThan(0);
  });

  it.each([['latest'], [''], ['one of 3'], [true], [null], ['9'.repeat(100)]])('%j is none', (value) => {
    expect(parseVersion(value)).toBeUndefined();
  });

  it('are equal if only zeros or their writing differ, and not compared if they are of two kinds', () => {
    expect(compareVersions(parseVersion('1.0')!, parseVersion('v1')!)).toBe(0);
    expect(compareVersions(parseVersion('1.0')!, parseVersion('Winter 25')!)).toBeUndefined();
  });

  it.each([
    ['What changed in Summer ’24?', ['Summer_24']],
    ['Which limits has API version 61?', ['61']],
    ['Does 2.1 still support it, or v3?', ['2.1', '3']],
    ['How many of the 12 limits apply?', []],
  ])('are found in the question %j', (question, expected) => {
    expect(versionsIn(question)).toEqual(expected.map(parseVersion));
  });

  it('are left out of titles', () => {
    expect(withoutVersion("Flow limits (Summer '24)")).toBe(withoutVersion('Flow Limits - Winter 25'));
    expect(withoutVersion('API guide v61')).toBe(withoutVersion('API guide v62'));
    expect(withoutVersion('Apex limits')).not.toBe(withoutVersion('Flow limits'));
  });
});

describe('[H1] two versions of a document', () => {
  const result = (content: string, metadata: Record<string, string>) => ({
    metadata,
    substance: { terms: new Set(termCounts(content).counts.keys()) },
  });
  const summer = result('A flow may run two thousand elements', { sf_version: 'Summer_24' });
  const winter = result('A flow may run ten thousand elements', { sf_version: 'Winter_25' });

  it.each([
    ['How many elements may a flow run?', winter, summer],
    ['How many elements could a flow run in Summer 24?', summer, winter],
  ])('%s', (question, first, second) => {
    const versions = new DocumentVersions(question, UNKNOWN_MODEL);
    expect(versions.precedes(first, second)).toBe(true);
    expect(versions.precedes(second, first)).toBe(false);
  });

  it('have no order if they are of two documents, or only one has a version', () => {
    const versions = new DocumentVersions('What are the limits?', UNKNOWN_MODEL);
    const titled = (title: string, sf_version: string) =>
      result('A flow may run two thousand elements', { title, sf_version });
    expect(
      versions.precedes(titled('Flow limits', 'Winter_25'), titled('Apex limits', 'Summer_24')),
    ).toBeUndefined();
    expect(
      versions.precedes(titled('Flows, Winter 25', 'Winter_25'), titled('Flows, Summer 24', 'Summer_24')),
    ).toBe(true);
    expect(versions.precedes(winter, result('A flow may run two thousand elements', {}))).toBeUndefined();
    expect(
      versions.precedes(winter, result('Reports are shared with their folder', { sf_version: 'Summer_24' })),
    ).toBeUndefined();
  });
});

function spacesOf(configs: Readonly<Record<string, Partial<SpaceConfig>>>): Spaces {
  const configured = Object.entries(configs).map(
    ([id, config]) =>
      [id, { id, config: { ...defaultSpace, ...config }, revision: 0, updatedAt: '' }] as const,
  );
  return { ...noSpaces, configured: new Map(configured) };
}
