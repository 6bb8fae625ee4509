import { z } from 'zod';

/** The metadata of schemas without their ids: with ids, shared parts would be references, which some clients do not follow. */
class WithoutIds extends z.core.$ZodRegistry<z.core.GlobalMeta> {
  override get: z.core.$ZodRegistry<z.core.GlobalMeta>['get'] = (schema) => {
    const { id: _, ...meta } = z.globalRegistry.get(schema) ?? {};
    return meta;
  };
}

/** JSON Schema of the parameters or of the result of a tool. */
export function jsonSchemaOf(schema: z.ZodObject, io: 'input' | 'output'): { type: 'object' } {
  const converted = z.toJSONSchema(schema, { io, metadata: new WithoutIds(), unrepresentable: 'any' });
  return { ...converted, type: 'object' };
}
