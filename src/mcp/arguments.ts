import { parseBoundedJson } from '../domain/input/bounded-json.ts';
import { z } from 'zod';
import { fieldsOf, unwrapped } from '../domain/input/schema-fields.ts';
import { parseInput, type FieldHints } from '../domain/input/parse-input.ts';
import { Problem } from '../domain/problems.ts';

export interface ReadArguments<Input> {
  readonly input: Input;
  /** What was sent and is not a parameter, with what to use instead. */
  readonly ignored: readonly string[];
}

/**
 * Reads the arguments of a call. What clients make of arguments is taken as meant where the schema leaves no doubt: JSON in a text
 * for a list or an object, one text for a list of texts, digits for a number, null or an empty text for what is left out, `topK`
 * for `top_k`. Unknown arguments are ignored if the rest is right, and else named with the other errors.
 */
export function readArguments<Schema extends z.ZodObject>(
  schema: Schema,
  sent: unknown,
  hints: FieldHints,
): ReadArguments<z.output<Schema>> {
  const meant = asMeant(schema, sent ?? {});
  const known = knownOnly(schema, meant);
  try {
    return { input: parseInput(schema, meant, hints), ignored: [] };
  } catch (error) {
    if (!known || !schema.safeParse(known).success || !(error instanceof Problem)) throw error;
    return {
      input: parseInput(schema, known, hints),
      ignored: error.errors.map(({ path, message }) => `${path} (${message})`),
    };
  }
}

/** The parameters among the arguments; undefined if `sent` is not an object. */
function knownOnly({ shape }: z.ZodObject, sent: unknown): object | undefined {
  if (!isObject(sent)) return undefined;
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(shape, name)));
}

function asMeant(schema: z.ZodType, sent: unknown): unknown {
  if (schema.safeParse(sent).success) return sent;
  if ((sent === null || sent === '') && schema.safeParse(undefined).success) return undefined;
  const kinds = kindsOf(schema);
  if (typeof sent === 'string') return fromText(schema, kinds, sent);
  const fields = fieldsOf(schema);
  if (fields && isObject(sent)) return ofObject(fields, sent);
  const [list] = kinds.filter((kind) => kind instanceof z.ZodArray);
  if (list && Array.isArray(sent)) return sent.map((each) => asMeant(list.element as z.ZodType, each));
  return sent;
}

function ofObject(
  fields: Readonly<Record<string, z.ZodType>>,
  sent: Readonly<Record<string, unknown>>,
): unknown {
  return Object.fromEntries(
    Object.entries(sent).flatMap(([name, value]) => {
      const snake = name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      const isOtherSpelling =
        !Object.hasOwn(fields, name) && Object.hasOwn(fields, snake) && !Object.hasOwn(sent, snake);
      const field = isOtherSpelling ? snake : name;
      if (!Object.hasOwn(fields, field)) return [[name, value]];
      const meant = asMeant(fields[field]!, value);
      return meant === undefined ? [] : [[field, meant]];
    }),
  );
}

function fromText(schema: z.ZodType, kinds: readonly z.ZodType[], sent: string): unknown {
  const is = (...types: string[]) => kinds.some(({ type }) => types.includes(type));
  const text = sent.trim();
  if (is('number') && /^-?\d+(?:\.\d+)?$/.test(text)) return Number(text);
  if (is('boolean') && (text === 'true' || text === 'false')) return text === 'true';
  if (/^[[{]/.test(text)) {
    const parsed = jsonOf(text);
    if (parsed !== undefined && !is('string')) return asMeant(schema, parsed);
  }
  return is('array') && schema.safeParse([sent]).success ? [sent] : sent;
}

/** The schema without `optional` and the like; of a union, those of its members. */
function kindsOf(schema: z.ZodType): z.ZodType[] {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodUnion ? (inner.options as z.ZodType[]).flatMap(kindsOf) : [inner];
}

function jsonOf(text: string): unknown {
  try {
    return parseBoundedJson(text, 'an argument');
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
