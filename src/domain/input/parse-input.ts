import { z, type ZodError } from 'zod';
import { Problem, type FieldError } from '../problems.ts';
import { truncate } from '../text/truncate.ts';
import { inOwnWords, withoutUnions } from './issue-words.ts';
import { fieldsOf, schemaAt, unwrapped } from './schema-fields.ts';
import { choice } from './schema-words.ts';
import { suggestField } from './suggest-field.ts';

/** Messages for fields that the schema does not have, by name: where they belong, or what to do instead. */
export type FieldHints = Readonly<Record<string, string>>;

/** A body may have a hundred thousand unknown fields; only the first errors are listed. */
const mostErrors = 100;
/** How many errors the detail of the problem names. */
const mostInDetail = 3;
/** A longer list of fields is no help in a message. */
const mostKnownFields = 10;
/** UTF-16 units of a path in the detail. */
const longestPath = 200;

/**
 * Parses an input. Throws a `validation-failed` problem that names each wrong field; for an unknown field also the one
 * that the caller probably means.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  fieldHints: FieldHints = {},
): z.output<Schema> {
  const { data, error } = schema.safeParse(value, { error: inOwnWords });
  if (error) throw inputProblem(error, schema, fieldHints);
  return data;
}

/** A `validation-failed` problem whose detail names the first errors. */
export function inputProblem(
  error: ZodError,
  schema: z.ZodType = z.unknown(),
  fieldHints: FieldHints = {},
): Problem {
  const { errors, total } = errorsOf(error, schema, fieldHints);
  const named = errors
    .slice(0, mostInDetail)
    .map(({ path, message }) => `${path === '' ? 'the body' : truncate(path, longestPath)}: ${message}`);
  const others = total - named.length;
  return new Problem(
    'validation-failed',
    [...named, ...(others > 0 ? [`${others} more in \`errors\``] : [])].join('; '),
    { errors },
  );
}

/** The first errors, and how many there are. */
function errorsOf(
  { issues }: ZodError,
  schema: z.ZodType,
  fieldHints: FieldHints,
): { readonly errors: readonly FieldError[]; readonly total: number } {
  const errors: FieldError[] = [];
  let total = 0;
  for (const issue of withoutRepetitions(issues.flatMap(withoutUnions))) {
    const parents = issue.path.map(String);
    const room = mostErrors - errors.length;
    if (issue.code !== 'unrecognized_keys') {
      total++;
      if (room > 0) errors.push({ path: parents.join('.'), message: issue.message });
      continue;
    }
    total += issue.keys.length;
    const hint = hints(schema, parents, fieldHints);
    for (const key of issue.keys.slice(0, room))
      errors.push({ path: [...parents, key].join('.'), message: hint(key) });
  }
  return { errors, total };
}

/**
 * Zod also measures values of the wrong type, such as a list instead of a text, and a number may break two rules that are one
 * in words.
 */
function withoutRepetitions(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const pathOf = ({ path }: z.core.$ZodIssue) => JSON.stringify(path.map(String));
  const ofWrongType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(pathOf));
  const isSize = ({ code }: z.core.$ZodIssue) => code === 'too_big' || code === 'too_small';
  const meant = issues.filter((issue) => !isSize(issue) || !ofWrongType.has(pathOf(issue)));
  return [...new Map(meant.map((issue) => [pathOf(issue) + issue.message, issue])).values()];
}

const unknownField = 'is not a known field';

/** What to say about an unknown field of the object at `parents`. */
function hints(
  schema: z.ZodType,
  parents: readonly string[],
  fieldHints: FieldHints,
): (key: string) => string {
  const fields = fieldsOf(schemaAt(schema, parents));
  const here = Object.keys(fields ?? {});
  const inOtherObjects = parents.length === 0 ? nestedFields(schema) : Object.keys(fieldsOf(schema) ?? {});
  const prefix = parents.map((parent) => `${parent}.`).join('');
  const fallback = fields ? unknownAmong(fields) : unknownField;
  return (key) => {
    const field = suggestField(key, { here, elsewhere: [...inOtherObjects, ...Object.keys(fieldHints)] });
    if (field === undefined) return fallback;
    if (here.includes(field)) return `use ${prefix}${field}`;
    return Object.hasOwn(fieldHints, field) ? fieldHints[field]! : `use ${field}`;
  };
}

function unknownAmong(fields: Readonly<Record<string, z.ZodType>>): string {
  // A field that takes no value is only there to say why.
  const known = Object.keys(fields).filter((name) => unwrapped(fields[name]!).type !== 'never');
  if (known.length === 0) return `${unknownField}: there are none here`;
  return known.length > mostKnownFields ? unknownField : `${unknownField}: use ${choice(known)}`;
}

/** Paths of the fields in objects directly below the input, such as `scope.team`. */
function nestedFields(schema: z.ZodType): string[] {
  return Object.entries(fieldsOf(schema) ?? {}).flatMap(([name, field]) =>
    Object.keys(fieldsOf(field) ?? {}).map((inner) => `${name}.${inner}`),
  );
}
