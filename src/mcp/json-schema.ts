import { z } from 'zod';

/** The metadata of schemas without their ids: with ids, shared parts would be references, which some clients do not follow. */
class WithoutIds extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get: z.core.$ZodRegistry<z.core.GlobalMeta>['get'] = (schema) => {
    const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  };
}

/**
 * JSON Schema of the parameters of a tool. Every token of it is paid for in each conversation, so it has only what a model needs
 * to call the tool. The tool itself checks more, and a refusal names the limits.
 */
export function jsonSchemaOf(schema: z.ZodObject): { type: 'object' } {
  const converted = z.toJSONSchema(schema, {
    io: 'input',
    metadata: new WithoutIds(),
    unrepresentable: 'any',
  });
  return { ...short(converted), type: 'object' };
}

type Schema = z.core.JSONSchema.BaseSchema;

/** Keywords that only limit a value. Descriptions name the limits that a model would run into. */
const limits = new Set(
  '$schema pattern format minLength maxLength minItems maxItems minimum maximum propertyNames additionalProperties'.split(
    ' ',
  ),
);

function short(schema: Schema): Schema {
  const whole = withoutNull(schema);
  const kept = Object.entries(whole).flatMap(([name, value]): [string, unknown][] => {
    if (limits.has(name) || ((name === 'default' || name === 'description') && isEmpty(value))) return [];
    if (name === 'properties')
      return [
        [name, Object.fromEntries(Object.entries(value as object).map(([key, each]) => [key, short(each)]))],
      ];
    if (name === 'anyOf') return [[name, (value as Schema[]).map(short)]];
    if (name === 'items') {
      // What the elements are is said where the list is described.
      const { description: _, ...element } = short(value as Schema);
      return [[name, element]];
    }
    return [[name, value]];
  });
  return Object.fromEntries(kept);
}

/** `null` removes a value. The description of the object says so. */
function withoutNull({ anyOf, ...schema }: Schema): Schema {
  const others = anyOf?.filter(({ type }) => type !== 'null');
  if (!others) return schema;
  return others.length === 1 ? { ...others[0], ...schema } : { ...schema, anyOf: others };
}

function isEmpty(value: unknown): boolean {
  return (
    value === false ||
    value === '' ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0)
  );
}
