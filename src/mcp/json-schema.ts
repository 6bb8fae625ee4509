import { z } from 'zod';

/** The metadata of schemas without their ids: with ids, shared parts would be references, which some clients do not follow. */
class WithoutIds extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get: z.core.$ZodRegistry<z.core.GlobalMeta>['get'] = (schema) => {
    const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  };
}

/**
 * JSON Schema of the parameters or of the result of a tool. Every token of it is paid for in each conversation, so it has only
 * what a model needs to call the tool and to read its result. The tool itself checks more, and a refusal names the limits.
 */
export function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): { type: 'object' } {
  const converted = z.toJSONSchema(schema, { io, metadata: new WithoutIds(), unrepresentable: 'any' });
  const closed = io === 'input' && converted.additionalProperties === false;
  return { ...short(converted, io), type: 'object', ...(closed && { additionalProperties: false }) };
}

type Schema = z.core.JSONSchema.BaseSchema;

/** Keywords that only limit a value, beyond what its description says. */
const limits = new Set(['$schema', 'pattern', 'minLength', 'maxLength', 'maxItems', 'propertyNames']);
/** Keywords that help to choose a value. Results do not need them. */
const choices = new Set(['minimum', 'maximum', 'minItems', 'default']);

/** The fields of a result are described where they are listed; deeper ones are understood by their names. */
const describedDepth = 1;

function short(schema: Schema, io: 'input' | 'output', depth = 0): Schema {
  const below = (each: Schema) => short(each, io, depth + 1);
  const whole = io === 'output' ? withoutVariants(schema) : schema;
  const kept = Object.entries(whole).flatMap(([name, value]): [string, unknown][] => {
    if (limits.has(name) || (io === 'output' && choices.has(name))) return [];
    if (name === 'description' && io === 'output' && depth > describedDepth) return [];
    if (Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER) return [];
    switch (name) {
      case 'properties':
        return [[name, mapValues(value as Fields, below)]];
      case 'anyOf':
      case 'oneOf':
      case 'allOf':
        return [[name, (value as Schema[]).map(below)]];
      case 'items':
        return [[name, below(value as Schema)]];
      case 'additionalProperties': {
        const each = typeof value === 'object' && value !== null ? below(value as Schema) : {};
        return Object.keys(each).length > 0 ? [[name, each]] : [];
      }
      default:
        return [[name, value]];
    }
  });
  return Object.fromEntries(kept);
}

type Fields = Readonly<Record<string, Schema>>;

/** One object with the fields that all variants have; further ones are allowed in every result. */
function withoutVariants(schema: Schema): Schema {
  const variants = schema.oneOf ?? schema.anyOf;
  if (!variants || variants.some(({ properties }) => properties === undefined)) return schema;
  const { oneOf: _, anyOf: __, ...rest } = schema;
  const [first, ...others] = variants.map(({ properties }) => properties as Fields);
  const common = Object.keys(first!).filter((name) => others.every((other) => Object.hasOwn(other, name)));
  const properties = common.map((name): [string, Schema] => [
    name,
    either([first!, ...others].map((fields) => fields[name]!)),
  ]);
  return { ...rest, type: 'object', properties: Object.fromEntries(properties), required: common };
}

/** What a field may be whose schema differs between variants. */
function either([first, ...others]: Schema[]): Schema {
  const all = [first!, ...others];
  const constants = new Set(all.flatMap((each) => (each.const === undefined ? [] : [each.const])));
  if (all.every((each) => each.const !== undefined)) return { enum: [...constants] };
  return others.every((each) => JSON.stringify(each) === JSON.stringify(first)) ? first! : {};
}

function mapValues(fields: Fields, change: (each: Schema) => Schema): Fields {
  return Object.fromEntries(Object.entries(fields).map(([name, each]) => [name, change(each)]));
}
