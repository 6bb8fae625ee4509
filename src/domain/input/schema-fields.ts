import { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

/**
 * The fields of an object schema, or of a record with a list of keys, also inside `optional`, `default`, `preprocess` and the
 * like; undefined for other schemas.
 */
export function fieldsOf(schema: z.ZodType | undefined): Shape | undefined {
  const inner = schema && unwrapped(schema);
  if (inner instanceof z.ZodObject) return inner.shape;
  if (!(inner instanceof z.ZodRecord && inner.keyType instanceof z.ZodEnum)) return undefined;
  const value = inner.valueType as z.ZodType;
  return Object.fromEntries(inner.keyType.options.map((key) => [key, value]));
}

/** The schema of the value at a path of an input; undefined if the schema does not say. */
export function schemaAt(schema: z.ZodType, path: readonly string[]): z.ZodType | undefined {
  let current: z.ZodType | undefined = schema;
  for (const key of path) {
    const inner: z.ZodType | undefined = current && unwrapped(current);
    current = inner instanceof z.ZodArray ? (inner.element as z.ZodType) : fieldsOf(inner)?.[key];
  }
  return current;
}

/** The schema inside `optional`, `default`, `preprocess` and the like. */
export function unwrapped(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return unwrapped(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodPipe)) return schema;
  // `preprocess` has its schema behind the transformation, `transform` before it; `pipe` ends with the stricter one.
  const { in: before, out: after } = schema as z.ZodPipe<z.ZodType, z.ZodType>;
  return unwrapped(after instanceof z.ZodTransform ? before : after);
}
