import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filterFields, filterOperators, maxFilterDepth, parseFilter } from '../../src/domain/filter.ts';
import { Problem } from '../../src/domain/problems.ts';

const scalar = fc.oneof(fc.string(), fc.double({ noNaN: true, noDefaultInfinity: true }));
const field = fc.oneof(
  fc.constantFrom(...filterFields),
  fc
    .array(fc.stringMatching(/^[a-zäß_]{1,4}$/), { minLength: 1, maxLength: 3 })
    .map((keys) => `metadata.${keys.join('.')}`),
);
const test = fc.oneof(
  fc.tuple(fc.constantFrom(...filterOperators.filter((operator) => operator !== 'in')), scalar),
  fc.tuple(fc.constant('in' as const), fc.array(scalar, { minLength: 1, maxLength: 3 })),
);
const tests = fc
  .tuple(field, fc.array(test, { minLength: 1, maxLength: 3 }))
  .map(([name, operators]) => ({ [name]: Object.fromEntries(operators) }));

/** Valid filters. */
const { filter: sound } = fc.letrec<{ filter: object }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    tests,
    tie('filter').map((not) => ({ not })),
    fc
      .tuple(fc.constantFrom('and', 'or'), fc.array(tie('filter'), { minLength: 1, maxLength: 3 }))
      .map(([word, list]) => ({ [word]: list })),
  ),
}));

/** Almost a filter, with an error somewhere. */
const { value: strange } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.anything(),
    fc.dictionary(
      fc.oneof(
        field,
        fc.constantFrom('and', 'or', 'not', 'metadata', 'metadata.', '__proto__', ...filterOperators),
        fc.string(),
      ),
      tie('value'),
      { maxKeys: 3 },
    ),
    fc.array(tie('value'), { maxLength: 3 }),
  ),
}));

function parse(value: unknown): unknown {
  try {
    return parseFilter(value);
  } catch (error) {
    expect(error).toBeInstanceOf(Problem);
    return error;
  }
}

describe('a filter', () => {
  it('that is invalid is rejected with a problem that names the path', () => {
    fc.assert(
      fc.property(fc.oneof(strange, fc.anything(), fc.jsonValue()), (value) => {
        const result = parse(value);
        if (!(result instanceof Problem)) return;
        expect(result.code).toBe('validation-failed');
        expect(result.errors).toHaveLength(1);
        expect(result.errors[0]!.path.startsWith('filter')).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it('that is valid is accepted', () => {
    fc.assert(
      fc.property(sound, (value) => {
        expect(parse(value)).not.toBeInstanceOf(Problem);
      }),
    );
  });

  it('means the same with several keys as with `and`', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.constantFrom('id', 'layer', 'content'), { minLength: 2 }),
        scalar,
        (names, value) => {
          const parts = names.map((name) => ({ [name]: { eq: value } }));
          expect(parse(Object.assign({}, ...parts))).toEqual(parse({ and: parts }));
        },
      ),
    );
  });

  it.each(['not', 'and', 'or'])('is accepted up to the maximum depth and rejected below it (%s)', (word) => {
    const nested = (depth: number): unknown => {
      let value: unknown = { layer: { eq: 'user' } };
      for (let level = 1; level < depth; level++) value = { [word]: word === 'not' ? value : [value] };
      return value;
    };
    expect(parse(nested(maxFilterDepth))).not.toBeInstanceOf(Problem);
    expect(parse(nested(maxFilterDepth + 1))).toMatchObject({
      message: expect.stringMatching(/levels deep/) as string,
    });
    expect(parse(nested(20_000))).toBeInstanceOf(Problem);
  });
});
