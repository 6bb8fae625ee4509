import type { ValidateFunction } from 'ajv';

/** Says what is wrong with a value; undefined if it fits. */
export type SchemaCheck = (value: unknown) => { readonly path: string; readonly message: string } | undefined;

/**
 * Compiles a JSON Schema (2020-12, with the formats of ajv-formats). Throws an `Error` that says what is wrong with the schema. The
 * check stops at the first fault. The validator is loaded when it is first needed.
 */
export async function compileSchema(schema: object): Promise<SchemaCheck> {
  const [{ Ajv2020 }, formats] = await Promise.all([import('ajv/dist/2020.js'), import('ajv-formats')]);
  const ajv = new Ajv2020({ strict: false, validateSchema: true, logger: false });
  formats.default.default(ajv);
  const validate: ValidateFunction = ajv.compile(schema);
  return (value) => {
    if (validate(value)) return undefined;
    const {
      instancePath = '',
      message = 'does not fit the schema',
      params = {},
    } = validate.errors?.[0] ?? {};
    const path = instancePath
      .slice(1)
      .split('/')
      .filter((step) => step !== '');
    return { path: path.map(unescapeStep).join('.'), message: withAllowed(message, params) };
  };
}

/** Steps of a JSON Pointer (RFC 6901). */
const unescapeStep = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~');

function withAllowed(message: string, params: Record<string, unknown>): string {
  const { allowedValues } = params;
  return Array.isArray(allowedValues) ? `must be one of ${allowedValues.slice(0, 20).join(', ')}` : message;
}
