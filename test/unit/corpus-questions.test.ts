import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { corpusQuestions, type CorpusMemory } from '../../src/cli/demo/corpus-questions.ts';
import { complexityOf } from '../../src/domain/routing/complexity.ts';
import { defaultSettings } from '../../src/domain/routing/settings.ts';

const lines = readFileSync(new URL('../../corpus/memories.ndjson', import.meta.url), 'utf8');
const memories = lines
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as CorpusMemory);
const questions = corpusQuestions(memories);

describe('questions to the corpus with known answers', () => {
  it('[C7] are complex, none is asked twice, and there are enough for a proof', () => {
    expect(questions.length).toBeGreaterThan(500);
    expect(new Set(questions.map(({ text }) => text)).size).toBe(questions.length);
    const plain = questions.filter(({ text }) => complexityOf(text).score < defaultSettings.threshold);
    expect(plain.map(({ text }) => text)).toEqual([]);
  });

  it('[C7] have answers of which the corpus holds enough', () => {
    const known = new Set(memories.map(({ externalId }) => externalId));
    for (const { text, subjects, least } of questions) {
      expect(least, text).toBeGreaterThan(0);
      expect(subjects.length, text).toBeGreaterThanOrEqual(least);
      expect(subjects.flatMap((subject) => [...subject]).filter((id) => !known.has(id))).toEqual([]);
    }
  });

  it('[C7] are about what their text names', () => {
    const kep = (id: string, title: string, status: string, stable?: string): CorpusMemory => ({
      externalId: `kep:${id}#0`,
      scope: { team: 'sig-one' },
      metadata: { kind: 'kep', title, status, ...(stable !== undefined && { milestone: { stable } }) },
    });
    const own = [kep('a', 'First', 'implemented', '1.30'), kep('b', 'Second', 'withdrawn')];
    const answers = corpusQuestions(own).map(({ text, subjects, least }) => [
      text,
      subjects.map((subject) => [...subject]),
      least,
    ]);
    expect(answers).toContainEqual(['List the proposals of sig-one with status withdrawn', [['kep:b#0']], 1]);
    expect(answers).toContainEqual([
      'List the enhancements that became stable in Kubernetes 1.30',
      [['kep:a#0']],
      1,
    ]);
    expect(answers).toContainEqual(['Compare “First” and “Second”', [['kep:a#0'], ['kep:b#0']], 2]);
  });
});
