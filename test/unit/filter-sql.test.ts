import { expect, it } from 'vitest';
import { counterFields, filterFields, parseFilter } from '../../src/domain/filter.ts';
import { filterCondition } from '../../src/queries/filter-sql.ts';
import type { ReadView } from '../../src/queries/read-models.ts';
import { Parameters } from '../../src/queries/sql-builder.ts';

const view = { table: (name: string) => `read.${name}_g1` } as ReadView;
const conditionOf = (filter: unknown) =>
  filterCondition(parseFilter(filter), { view, alias: 'm', asker: 'ada' }, new Parameters());

it('[A5] counters are read only if a filter names them', () => {
  const counters: readonly string[] = [...counterFields, 'importance'];
  const plain = filterFields.filter((field) => !counters.includes(field));
  for (const field of [...plain, 'metadata.accessCount'])
    expect(conditionOf({ [field]: { eq: '2020-01-01' } })).not.toContain('read.');
  const values = Array.from({ length: 1_000 }, (_, count) => count);
  for (const field of counterFields) {
    const condition = conditionOf({
      [field]: { in: field === 'lastAccessedAt' ? values.map(String) : values },
    });
    expect(condition.split(field === 'citations' ? 'read.links_g1' : 'read.usage_g1')).toHaveLength(2);
  }
  for (const wanted of [{ in: values }, { eq: 0.5 }, { gte: 0.2, lt: 1 }]) {
    const condition = conditionOf({ importance: wanted });
    expect(condition.split('read.values_g1')).toHaveLength(1 + Object.keys(wanted).length);
  }
});
