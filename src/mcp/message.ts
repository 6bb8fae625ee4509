/** A JSON-RPC message, or several, without `params` and `arguments` that are null: clients send that for what is left out. */
export function withoutNulls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNulls);
  if (!isObject(body)) return body;
  const { params, ...rest } = body;
  if (params === null || params === undefined) return rest;
  if (!isObject(params) || params['arguments'] !== null) return body;
  const { arguments: _, ...others } = params;
  return { ...rest, params: others };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
