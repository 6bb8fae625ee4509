import { describe, expect, it } from 'vitest';
import { parseFilter } from '../../src/domain/filter.ts';
import { exactScanLimit } from '../../src/domain/retrieval/exact-scan-limit.ts';
import type { SqlExecutor } from '../../src/ports/sql.ts';
import type { Vectors } from '../../src/ports/vector-index.ts';
import type { Words } from '../../src/ports/word-index.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import type { CandidateQuery, CandidateSource } from '../../src/queries/search/sources/candidate-source.ts';
import { chooseSources, type SourceChoice } from '../../src/queries/search/sources/choose-sources.ts';
import type { SourceContext } from '../../src/queries/search/sources/context.ts';
import { PlannerSettings } from '../../src/queries/search/sources/planner-settings.ts';
import type { PrefilterSet } from '../../src/queries/search/sources/prefilter-set.ts';

const tx = {} as SqlExecutor;
const onServer: SourceContext = { tx, view: {} as ReadView, planner: new PlannerSettings(tx) };
const inProcess: SourceContext = { ...onServer, words: {} as Words, vectors: {} as Vectors };
const query: CandidateQuery = {
  region: { tenant: 'acme', visibility: 'all' },
  text: 'green tea',
  weighted: { terms: ['green', 'tea'], weights: [1, 1], mass: 2 },
  dense: { vector: new Float32Array(4), table: 'vectors' },
  times: { months: [], periods: [] },
};
const byMeaning: CandidateQuery = { ...query, weighted: { terms: [], weights: [], mass: 0 } };
const byWords: CandidateQuery = { ...query, dense: undefined };

const large = exactScanLimit + 1;
const fewTexts: PrefilterSet = { lists: [], size: 100, expected: 100, hasFewTexts: true };
const manyTexts: PrefilterSet = { lists: [], size: 9_000, expected: 9_000, hasFewTexts: false };
const filter = parseFilter({ occurredAt: { gte: '2026-01-01' } });

/** Class names of the chosen sources, by group. */
function chosen(context: SourceContext, asked: CandidateQuery, choice: Partial<SourceChoice>): string[][] {
  const groups = chooseSources(context, asked, { documents: large, lookup: { in: 'database' }, ...choice });
  return groups.map((sources: readonly CandidateSource[]) =>
    sources.map(({ constructor }) => constructor.name),
  );
}

describe('the choice of candidate sources', () => {
  it('[A5] uses the indexes of the database for a large tenant, and compares all vectors for a small one', () => {
    expect(chosen(onServer, query, {})).toEqual([['HnswSource', 'Bm25Source']]);
    expect(chosen(onServer, query, { documents: exactScanLimit })).toEqual([
      ['ExactVectorSource', 'Bm25Source'],
    ]);
  });

  it('[A5] compares the memories of a prefilter set, and counts their words if they are few', () => {
    expect(chosen(onServer, query, { set: fewTexts })).toEqual([['ExactVectorSource', 'ExactWordSource']]);
    expect(chosen(onServer, query, { set: manyTexts })).toEqual([['ExactVectorSource', 'Bm25Source']]);
  });

  it('[A5] uses vectors and words in RAM if this process keeps them there, whatever the restrictions', () => {
    for (const set of [undefined, fewTexts, manyTexts])
      expect(chosen(inProcess, query, { set })).toEqual([['ResidentVectorSource', 'ResidentWordSource']]);
  });

  it('[A5] reads the ids of a prefilter set once for vectors and words', async () => {
    let statements = 0;
    const counting: SqlExecutor = {
      query: () => {
        statements++;
        return Promise.resolve([]);
      },
    };
    const view = { table: () => 'postings' } as unknown as ReadView;
    const nothing = { nearest: () => [], cosines: () => [], best: () => [], signals: () => [] };
    const context: SourceContext = {
      ...{ tx: counting, view, planner: new PlannerSettings(counting) },
      ...{ words: nothing as unknown as Words, vectors: nothing as unknown as Vectors },
    };
    const set = { ...fewTexts, lists: [{ keys: ['1'], ranges: [] }] };
    const sources = chooseSources(context, query, {
      documents: large,
      lookup: { in: 'nowhere' },
      set,
    }).flat();
    await Promise.all(sources.map((source) => source.find(query, 10)));
    // The ids, and one lookup of the nearest. No words were found, so none are looked up.
    expect(statements).toBe(2);
  });

  it('[A5] uses the hits of the lexical index for words', () => {
    const lookup = { in: 'index' as const, ids: [] };
    expect(chosen(onServer, query, { lookup })).toEqual([['HnswSource', 'LexicalIndexSource']]);
  });

  it('[A5] uses only the other signal if one cannot be searched', () => {
    expect(chosen(onServer, query, { lookup: { in: 'unavailable' } })).toEqual([['HnswSource']]);
    expect(chosen(onServer, byWords, {})).toEqual([['Bm25Source']]);
    expect(chosen(onServer, byMeaning, {})).toEqual([['HnswSource']]);
  });

  it('[A8] also searches within named periods if few memories are in them', () => {
    const inPeriods = { filter, set: fewTexts };
    expect(chosen(onServer, query, { inPeriods })).toEqual([
      ['HnswSource', 'Bm25Source'],
      ['InPeriodsSource'],
    ]);
    expect(chosen(inProcess, query, { inPeriods })).toEqual([
      ['ResidentVectorSource', 'ResidentWordSource'],
      ['InPeriodsSource', 'InPeriodsSource'],
    ]);
    expect(chosen(onServer, byWords, { inPeriods })).toEqual([['Bm25Source'], ['InPeriodsSource']]);
    expect(chosen(onServer, query, { inPeriods: { filter } })).toEqual([['HnswSource', 'Bm25Source']]);
  });
});
