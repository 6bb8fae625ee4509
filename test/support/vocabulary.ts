import { fieldValuesOf, type Fielded } from '../../src/domain/routing/field-values.ts';
import { kindOf, kindOfField, type ValueKind } from '../../src/domain/routing/planner/ordered-values.ts';
import {
  keyOf,
  type KnownField,
  type KnownValue,
  type Vocabulary,
} from '../../src/domain/routing/vocabulary.ts';

/** The complete vocabulary of these memories. */
export function vocabularyOf(memories: readonly Fielded[]): Vocabulary {
  const values = new Map<string, KnownValue>();
  for (const memory of memories) {
    const held = fieldValuesOf(memory);
    for (const { field, value } of held) {
      const id = JSON.stringify([field, value]);
      values.set(id, { field, value, key: keyOf(value), memories: (values.get(id)?.memories ?? 0) + 1 });
    }
  }
  const all = [...values.values()];
  const fields = [...new Set(all.map(({ field }) => field))].map((field): KnownField => {
    const own = all.filter((known) => known.field === field);
    const kinds = kindsOf(own);
    const memories = [...kinds.values()].reduce((sum, count) => sum + count, 0);
    return { field, kind: kindOfField(kinds), memories, values: own.length };
  });
  return { fields, values: all };
}

function kindsOf(values: readonly KnownValue[]): Map<ValueKind, number> {
  const kinds = new Map<ValueKind, number>();
  for (const { value, memories } of values)
    kinds.set(kindOf(value), (kinds.get(kindOf(value)) ?? 0) + memories);
  return kinds;
}
