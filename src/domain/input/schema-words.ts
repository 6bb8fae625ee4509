import { z } from 'zod';
import { unwrapped } from './schema-fields.ts';

/** What a schema allows, in words that follow `must be`; undefined if the schema does not say. */
export function allowedBy(schema: z.ZodType): string | undefined {
  if (isObject(schema)) return 'an object';
  const inner = unwrapped(schema);
  if (inner instanceof z.ZodNumber) return numberAllowedBy(inner);
  if (inner instanceof z.ZodEnum) return choice(inner.options);
  if (inner instanceof z.ZodLiteral) return choice([...inner.values]);
  if (inner instanceof z.ZodArray) return listOf(inner.element as z.ZodType);
  if (inner instanceof z.ZodUnion) return anyOf(inner.options as readonly z.ZodType[]);
  switch (inner.type) {
    case 'string':
      return 'text';
    case 'boolean':
      return 'true or false';
    case 'null':
      return 'null';
    default:
      return undefined;
  }
}

/** Such as `an integer from 1 to 1,000`. */
export function numberAllowedBy(schema: z.ZodNumber): string {
  const kind = schema.format?.includes('int') ? 'an integer' : 'a number';
  const least = bound(schema.minValue);
  const most = bound(schema.maxValue);
  // The bounds of a schema do not say whether they are allowed themselves.
  const from = schema.safeParse(least).success ? 'at least' : 'more than';
  const to = schema.safeParse(most).success ? 'at most' : 'less than';
  if (least !== undefined && most !== undefined && from === 'at least' && to === 'at most')
    return `${kind} from ${grouped(least)} to ${grouped(most)}`;
  const limits = [
    ...(least === undefined ? [] : [`${from} ${grouped(least)}`]),
    ...(most === undefined ? [] : [`${to} ${grouped(most)}`]),
  ];
  return limits.length === 0 ? kind : `${kind} of ${limits.join(' and ')}`;
}

/** Every integer schema is limited to the integers that a number can tell apart, which is no rule of ours. */
function bound(value: number | null): number | undefined {
  return value === null || Math.abs(value) >= Number.MAX_SAFE_INTEGER ? undefined : value;
}

/** The items of a list are not described by more values; a wrong item names them all. */
const mostChoices = 10;

function listOf(element: z.ZodType): string {
  if (isObject(element)) return 'a list of objects';
  const inner = unwrapped(element);
  if (inner instanceof z.ZodEnum && inner.options.length <= mostChoices)
    return `a list whose items are each ${choice(inner.options)}`;
  if (inner instanceof z.ZodNumber) return 'a list of numbers';
  return inner.type === 'string' || inner.type === 'enum' ? 'a list of texts' : 'a list';
}

function anyOf(options: readonly z.ZodType[]): string | undefined {
  const allowed = options.map(allowedBy);
  return allowed.includes(undefined) ? undefined : [...new Set(allowed)].join(' or ');
}

/** Some schemas of objects accept anything first, and say by their description that it must be an object. */
function isObject(schema: z.ZodType): boolean {
  const inner = unwrapped(schema);
  return inner instanceof z.ZodObject || inner instanceof z.ZodRecord || schema.meta()?.['type'] === 'object';
}

/** One value, or `one of` several. Only texts that are not a plain word are quoted. */
export function choice(values: readonly z.core.util.Primitive[]): string {
  const shown = values.map((value) =>
    typeof value === 'string' && !/^[\w*:.-]+$/.test(value) ? JSON.stringify(value) : String(value),
  );
  return shown.length === 1 ? shown[0]! : `one of ${shown.join(', ')}`;
}

/** `1,000`. */
export function grouped(value: number | bigint): string {
  return value.toLocaleString('en-US');
}
