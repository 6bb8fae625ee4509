import { z } from 'zod';
import { numberAllowedBy } from '../domain/input/schema-words.ts';

const maxFilterCharacters = 50_000;

/**
 * The schema of a query parameter for a field of an operation's input: query strings carry text, so numbers, booleans,
 * lists and objects are parsed from it. `commas`: the items of a list may also stand in one parameter, separated by commas.
 */
export function queryParameter(field: z.ZodType, { commas = false } = {}): z.ZodType {
  const { description } = field.meta() ?? {};
  const parameter = parsedFromText(unwrapped(field), commas);
  if (!parameter) return field;
  const optional = parameter.optional();
  if (description === undefined) return optional;
  return optional.meta({ description: parameter === json ? `Encoded as JSON. ${description}` : description });
}

function parsedFromText(schema: z.ZodType, commas: boolean): z.ZodType | undefined {
  if (schema instanceof z.ZodNumber) return integer(schema.minValue!, schema.maxValue!);
  if (schema instanceof z.ZodBoolean) return z.enum(['true', 'false']).transform((text) => text === 'true');
  if (schema instanceof z.ZodArray) return list(schema.element as z.ZodType, commas);
  if (schema.meta()?.['type'] === 'object') return json;
  return undefined;
}

function unwrapped(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? unwrapped(schema.unwrap() as z.ZodType)
    : schema;
}

function integer(least: number, most: number): z.ZodType {
  const range = z.int().min(least).max(most);
  return z
    .string()
    .regex(/^-?[0-9]{1,9}$/, `must be ${numberAllowedBy(range)}`)
    .transform(Number)
    .pipe(range)
    .meta({ type: 'integer', minimum: least, maximum: most });
}

/** The parameter may be repeated. */
function list(item: z.ZodType, commas: boolean): z.ZodType {
  return z
    .preprocess((value) => {
      if (value === undefined) return value;
      const texts = [value].flat() as string[];
      return commas ? texts.flatMap((text) => text.split(',')) : texts;
    }, z.array(item).min(1).optional())
    .meta({ type: 'array', items: documented(item) });
}

/** An item as the document shows it: with its limits, which a schema that parses texts does not tell. */
function documented(item: z.ZodType): object {
  const { $schema: _, ...schema } = z.toJSONSchema(item, { io: 'input', unrepresentable: 'any' });
  return schema;
}

const json = z
  .string()
  .max(maxFilterCharacters)
  .transform((text, context): unknown => {
    try {
      return JSON.parse(text);
    } catch {
      context.addIssue({ code: 'custom', message: 'is not valid JSON' });
      return z.NEVER;
    }
  });
