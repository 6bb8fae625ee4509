import { z, type ZodError } from 'zod';
import { Problem, type FieldError } from '../problems.ts';
import { truncate } from '../text/truncate.ts';
import { fieldsOf, schemaAt } from './schema-fields.ts';
import { suggestField } from './suggest-field.ts';

/** Fields of the input that do not belong in the schema, by name, with words that say where they belong. */
export type FieldsElsewhere = Readonly<Record<string, string>>;

/** A body may have a hundred thousand unknown fields; only the first errors are listed. */
const mostErrors = 100;
/** How many errors the detail of the problem names. */
const mostInDetail = 3;
/** UTF-16 units of a path in the detail. */
const longestPath = 200;

/**
 * Parses an input. Throws a `validation-failed` problem that names each wrong field; for an unknown field also the one
 * that the caller probably means.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  elsewhere: FieldsElsewhere = {},
): z.output<Schema> {
  const { data, error } = schema.safeParse(value, { error: missing });
  if (error) throw inputProblem(error, schema, elsewhere);
  return data;
}

const missing: z.core.$ZodErrorMap = ({ input }) => (input === undefined ? 'is required' : undefined);

/** A `validation-failed` problem whose detail names the first errors. */
export function inputProblem(
  error: ZodError,
  schema: z.ZodType = z.unknown(),
  elsewhere: FieldsElsewhere = {},
): Problem {
  const all = errorsOf(error, schema, elsewhere);
  const errors = all.slice(0, mostErrors);
  const named = errors
    .slice(0, mostInDetail)
    .map(({ path, message }) => `${path === '' ? 'the body' : truncate(path, longestPath)}: ${message}`);
  const others = all.length - named.length;
  return new Problem(
    'validation-failed',
    [...named, ...(others > 0 ? [`${others} more in \`errors\``] : [])].join('; '),
    { errors },
  );
}

function errorsOf({ issues }: ZodError, schema: z.ZodType, elsewhere: FieldsElsewhere): FieldError[] {
  return issues.flatMap((issue): FieldError[] => {
    const parents = issue.path.map(String);
    if (issue.code !== 'unrecognized_keys') return [{ path: parents.join('.'), message: issue.message }];
    const hint = hints(schema, parents, elsewhere);
    // A hint costs more than the name, and only the first errors are shown.
    return issue.keys.map((key, index) => ({
      path: [...parents, key].join('.'),
      message: (index < mostErrors ? hint(key) : undefined) ?? 'is not a known field',
    }));
  });
}

/** What to say about an unknown field of the object at `parents`. */
function hints(
  schema: z.ZodType,
  parents: readonly string[],
  elsewhere: FieldsElsewhere,
): (key: string) => string | undefined {
  const here = Object.keys(fieldsOf(schemaAt(schema, parents)) ?? {});
  const others = parents.length === 0 ? nestedFields(schema) : Object.keys(fieldsOf(schema) ?? {});
  const prefix = parents.map((parent) => `${parent}.`).join('');
  return (key) => {
    const field = suggestField(key, { here, elsewhere: [...others, ...Object.keys(elsewhere)] });
    if (field === undefined) return undefined;
    if (here.includes(field)) return `use ${prefix}${field}`;
    return `use ${Object.hasOwn(elsewhere, field) ? elsewhere[field] : field}`;
  };
}

/** Paths of the fields in objects directly below the input, such as `scope.team`. */
function nestedFields(schema: z.ZodType): string[] {
  return Object.entries(fieldsOf(schema) ?? {}).flatMap(([name, field]) =>
    Object.keys(fieldsOf(field) ?? {}).map((inner) => `${name}.${inner}`),
  );
}
