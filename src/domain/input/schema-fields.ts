import { z } from 'zod';

type Shape = Readonly<Record<string, z.ZodType>>;

/** The fields of an object schema, also inside `optional`, `default`, `preprocess` and the like; undefined for other schemas. */
export function fieldsOf(schema: z.ZodType | undefined): Shape | undefined {
  const inner = schema && unwrapped(schema);
  return inner instanceof z.ZodObject ? inner.shape : undefined;
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

function unwrapped(schema: z.ZodType): z.ZodType {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodPrefault
  )
    return unwrapped(schema.unwrap() as z.ZodType);
  if (!(schema instanceof z.ZodPipe)) return schema;
  // `preprocess` has its schema behind the transformation, `transform` before it.
  const { in: before, out: after } = schema as z.ZodPipe<z.ZodType, z.ZodType>;
  return unwrapped(before instanceof z.ZodTransform ? after : before);
}
