import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { bindings } from '../../src/http/bindings/index.ts';
import { parseInput } from '../../src/domain/input/parse-input.ts';
import { fieldsOf, schemaAt } from '../../src/domain/input/schema-fields.ts';
import { jsonObject } from '../../src/domain/json.ts';
import { requiredList } from '../../src/domain/input/issue-words.ts';
import type { Problem } from '../../src/domain/problems.ts';
import { tools } from '../../src/mcp/tools/index.ts';

function errorsOf(schema: z.ZodType, value: unknown): Problem['errors'] {
  try {
    parseInput(schema, value);
  } catch (error) {
    return (error as Problem).errors;
  }
  return [];
}

const textOf = (schema: z.ZodType, value: unknown) =>
  errorsOf(z.object({ field: schema }), { field: value }).map(({ path, message }) => `${path}: ${message}`);

const color = z.enum(['red', 'green']);
const list = z.array(z.string());
const shape = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('dot') }),
  z.object({ kind: z.literal('line'), length: z.number() }),
]);

/** For every code of zod: schema, value, message. */
const cases: Record<z.core.$ZodIssue['code'], [schema: z.ZodType, value: unknown, message: string][]> = {
  invalid_type: [
    [z.string(), undefined, 'is required'],
    [color, undefined, 'is required'],
    [
      z.array(z.string(), { error: requiredList('if there is none') }),
      undefined,
      'is required: send [] if there is none',
    ],
    [z.string(), 7, 'must be text, not a number'],
    [z.string(), null, 'must be text, not null'],
    [z.string().optional(), ['x'], 'must be text, not a list'],
    [z.number(), 'x', 'must be a number, not text'],
    [z.number().min(0).max(1), true, 'must be a number from 0 to 1, not a boolean'],
    [z.int().min(1).max(1_000), 1.5, 'must be an integer from 1 to 1,000, not a fraction'],
    [z.number().min(0).max(1), 1e999, 'must be a number from 0 to 1, not a number that is too large'],
    [z.int().min(0), '1', 'must be an integer of at least 0, not text'],
    [z.number().gt(0), '1', 'must be a number of more than 0, not text'],
    [z.number().max(5), '1', 'must be a number of at most 5, not text'],
    [z.boolean(), 'yes', 'must be true or false, not text'],
    [z.null(), 1, 'must be null, not a number'],
    [list, 'x', 'must be a list of texts, not text'],
    [z.array(color), {}, 'must be a list whose items are each one of red, green, not an object'],
    [z.array(z.object({})), 1, 'must be a list of objects, not a number'],
    [z.array(jsonObject), 1, 'must be a list of objects, not a number'],
    [z.array(z.number()), 1, 'must be a list of numbers, not a number'],
    [z.array(z.unknown()), 1, 'must be a list, not a number'],
    [z.object({}), 'x', 'must be an object, not text'],
    [z.record(z.string(), z.string()), [], 'must be an object, not a list'],
    [jsonObject, 'x', 'must be an object, not text'],
    [z.map(z.string(), z.string()), 'x', 'is not valid'],
  ],
  invalid_value: [
    [color, 'blue', 'must be one of red, green'],
    [z.enum(['a b', '']), 'x', 'must be one of "a b", ""'],
    [z.literal('*'), 7, 'must be *'],
    [z.literal([1, null]), 2, 'must be one of 1, null'],
  ],
  too_big: [
    [list.max(1_000), Array.from({ length: 1_001 }, () => 'x'), 'has 1,001 items: at most 1,000 are allowed'],
    [list.max(1), ['x', 'y'], 'has 2 items: at most 1 is allowed'],
    [list.length(1), ['x', 'y'], 'has 2 items: exactly 1 item is needed'],
    [z.string().max(3), 'four', 'has 4 characters: at most 3 are allowed'],
    [z.string().max(1), '🎈🎈', 'has 2 characters: at most 1 is allowed'],
    [z.set(z.string()).max(1), new Set(['x', 'y']), 'has 2 items: at most 1 is allowed'],
    [z.number().min(0).max(1), 7, 'must be a number from 0 to 1'],
    [z.int().max(5_000), 5_001, 'must be an integer of at most 5,000'],
    [z.int().min(1).max(9), 1e300, 'must be an integer from 1 to 9'],
    [z.number().min(1).lt(5), 5, 'must be a number of at least 1 and less than 5'],
    [z.bigint().max(5n), 6n, 'must be at most 5'],
    [z.date().max(new Date(0)), new Date(1), 'must be at most 1970-01-01T00:00:00.000Z'],
  ],
  too_small: [
    [list.min(1), [], 'is empty: at least 1 item is needed'],
    [list.length(2), ['x'], 'has 1 item: exactly 2 items are needed'],
    [z.string().min(1), '', 'is empty: at least 1 character is needed'],
    [z.string().min(12), 'short', 'has 5 characters: at least 12 characters are needed'],
    [z.int().min(1).max(1_000), 0, 'must be an integer from 1 to 1,000'],
    [z.number().positive(), 0, 'must be a number of more than 0'],
    [z.bigint().gt(5n), 5n, 'must be more than 5'],
  ],
  invalid_format: [
    [
      z.iso.datetime({ offset: true }),
      'today',
      'must be a time in RFC 3339 with an offset, such as 2026-05-04T10:00:00Z',
    ],
    [z.uuid(), 'x', 'must be a UUID'],
    [z.email(), 'x', 'must be an email address'],
    [z.url(), 'x', 'must be a URL such as https://example.org'],
    [z.cidrv4(), 'x', 'must be a valid cidrv4'],
    [z.string().regex(/^a+$/), 'b', 'must match /^a+$/'],
    [z.string().startsWith('a'), 'b', 'must start with "a"'],
    [z.string().endsWith('a'), 'b', 'must end with "a"'],
    [z.string().includes('a'), 'b', 'must contain "a"'],
    [z.string().lowercase(), 'B', 'must be in lower case'],
  ],
  not_multiple_of: [[z.number().multipleOf(5), 7, 'must be a multiple of 5']],
  unrecognized_keys: [],
  invalid_union: [
    [z.union([list, jsonObject]), 'x', 'must be a list of texts or an object'],
    [z.union([z.int().min(0), z.literal('*')]), 'x', 'must be an integer of at least 0 or *'],
    [z.union([z.string(), z.map(z.string(), z.string())]), 7, 'is not valid'],
    [z.union([list, jsonObject]), undefined, 'is required'],
    [z.xor([z.string(), z.string().min(1)]), 'x', 'must be text'],
  ],
  invalid_key: [
    [
      z.map(z.object({ id: z.string() }), z.string()),
      new Map([[{ id: 7 }, 'x']]),
      'is not an allowed name: must be text, not a number',
    ],
  ],
  invalid_element: [
    [
      z.map(z.object({}), z.string()),
      new Map([[{}, 7]]),
      'has an item that is not allowed: must be text, not a number',
    ],
  ],
  custom: [
    [z.string().refine((text) => text === 'x'), 'y', 'is not valid'],
    [z.string().refine((text) => text === 'x', 'must be x'), 'y', 'must be x'],
  ],
};

describe('the words for an issue', () => {
  it.each(
    Object.entries(cases).flatMap(([code, rows]) =>
      rows.map(([schema, value, message]) => [code, message, schema, value] as const),
    ),
  )('[J8] %s: %s', (_, message, schema, value) => {
    expect(textOf(schema, value)).toEqual([`field: ${message}`]);
  });

  it('[J8] of an item, a name or an alternative continue the path', () => {
    expect(textOf(list, ['x', 7])).toEqual(['field.1: must be text, not a number']);
    const named = z.partialRecord(color, z.string());
    expect(textOf(named, { blue: 'x' })).toEqual(['field.blue: is not a known field: use one of red, green']);
    expect(textOf(shape, {})).toEqual(['field.kind: is required: one of dot, line']);
    expect(textOf(shape, { kind: 'arc' })).toEqual(['field.kind: must be one of dot, line']);
  });

  it('[J8] of a union are those of the alternative that the value is meant for', () => {
    const either = z.union([list.max(2), z.strictObject({ names: z.union([list, z.string()]) })]);
    expect(textOf(either, ['x', 7])).toEqual(['field.1: must be text, not a number']);
    expect(textOf(either, ['x', 'y', 'z'])).toEqual(['field: has 3 items: at most 2 are allowed']);
    expect(textOf(either, { names: [7] })).toEqual(['field.names.0: must be text, not a number']);
    expect(textOf(either, { name: 'x' })).toEqual([
      'field.names: is required',
      'field.name: is not a known field',
    ]);
  });
});

const long = 'x'.repeat(30_000);
const many = Array.from({ length: 10_001 }, () => 'x');
/** A URL carries only texts and lists of them. */
const wrongTexts = ['', 'x', '-7', '0.5', '\u0000', '{', long, many, ['x', '']];
const wrongValues = [
  ...wrongTexts,
  null,
  true,
  -7,
  0.5,
  1e300,
  [],
  [null],
  [{}],
  {},
  { 'an unknown name': 1 },
];

/** Inputs with one wrong value each, in every field of a schema and of the objects in it. */
function* wrongInputs(schema: z.ZodType, values: readonly unknown[]): Generator<Record<string, unknown>> {
  for (const [name, field] of Object.entries(fieldsOf(schema) ?? {})) {
    for (const value of values) yield { [name]: value };
    const element = schemaAt(field, ['0']) ?? field;
    for (const value of wrongInputs(element, values)) yield { [name]: element === field ? value : [value] };
  }
}

describe('a wrong input', () => {
  type Row = readonly [name: string, schema: z.ZodType, values: readonly unknown[]];
  const schemas = [
    ...bindings.flatMap(
      ({ operation: { name, input }, query = z.object({}), params = z.object({}) }): Row[] => [
        [name, input, wrongValues],
        [name, query, wrongTexts],
        [name, params, wrongTexts],
      ],
    ),
    ...tools.map(({ name, input }): Row => [name, input, wrongValues]),
  ];

  it('[J8] is answered in words of our own, whatever the operation or tool', () => {
    const messages = new Map<string, string>();
    for (const [name, schema, values] of schemas)
      for (const input of wrongInputs(schema, values))
        for (const { path, message } of errorsOf(schema, input)) messages.set(message, `${name} ${path}`);
    expect(messages.size).toBeGreaterThan(50);
    const raw = /expected|^(invalid|too|unrecognized|unknown)\b|\bis not valid$/i;
    expect([...messages].filter(([message]) => raw.test(message))).toEqual([]);
  });
});
