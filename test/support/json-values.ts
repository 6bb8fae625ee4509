import * as fc from 'fast-check';
import type { JsonObject, JsonValue } from '../../src/domain/json.ts';

const keys = fc.constantFrom('a', 'b', 'ü', '10', '9', 'x y', 'constructor', 'toString');
const scalars = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (n === 0 ? 0 : n)),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
);

const { object } = fc.letrec<{ value: JsonValue; object: JsonObject }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    scalars,
    tie('object'),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
  object: fc.dictionary(keys, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

/** Arbitrary JSON objects from a small set of keys, so that keys of two objects often coincide. */
export const json: fc.Arbitrary<JsonObject> = object;

/** Arbitrary merge patches: objects in which null deletes a field. */
export function patchOf(values: fc.Arbitrary<JsonObject>): fc.Arbitrary<JsonObject> {
  return fc
    .tuple(values, fc.dictionary(keys, fc.constant(null), { maxKeys: 3, noNullPrototype: true }))
    .map(([value, deletions]) => ({ ...value, ...deletions }));
}
