import type { Json } from '../../support/http.ts';
import { pick } from '../../support/random.ts';

type Random = () => number;

/** An operation of an OpenAPI document. */
export interface FuzzedOperation {
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Json[];
  readonly bodyType: string | undefined;
  readonly bodySchema: Json;
}

export interface FuzzedRequest {
  readonly operation: FuzzedOperation;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
}

/** Operations that would end the run: they revoke or throttle its key, switch things off for everybody, or stream without end. */
const excluded =
  /tenants\/\{id\}\/erase|admin\/limits|admin\/keys|kill-switch|projections\/.*\/(rebuild|switch|rollback)/;
const deepest = 5;

const hostile: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1e308,
  -0.5,
  Number.MAX_SAFE_INTEGER,
  '',
  ' ',
  '\u0000',
  '\ud800',
  '\u202e\u0301\u{1f469}\u200d\u{1f680}',
  "'; drop table log.events; --",
  '../../etc/passwd',
  '${jndi:ldap://127.0.0.1/a}',
  '%00%ff',
  '<script>alert(1)</script>',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '2026-02-30T25:61:00Z',
  '999999-zzzzzzzzzzzz',
  'a'.repeat(5_000),
  [],
  {},
  [[[[[[[[[[]]]]]]]]]],
  { $ref: '#' },
  { constructor: { prototype: 1 } },
  ['a', 1, null, {}],
];

export function operationsOf(document: Json): FuzzedOperation[] {
  const operations: FuzzedOperation[] = [];
  for (const [path, methods] of Object.entries(document.paths as Record<string, Json>)) {
    for (const [method, { parameters = [], requestBody }] of Object.entries(
      methods as Record<string, Json>,
    )) {
      if (!/^(get|put|post|patch|delete)$/.test(method) || (method !== 'get' && excluded.test(path)))
        continue;
      const [type, content] = Object.entries((requestBody?.content ?? {}) as Record<string, Json>)[0] ?? [];
      operations.push({
        method: method.toUpperCase(),
        path,
        parameters,
        bodyType: type,
        bodySchema: content?.schema,
      });
    }
  }
  return operations;
}

/** A request that is mostly as the document says, with a few things wrong in most of them. `known` are ids that exist. */
export function fuzzedRequest(
  operation: FuzzedOperation,
  document: Json,
  known: readonly string[],
  random: Random,
): FuzzedRequest {
  const wrong = random() < 0.6 ? 0.06 : 0;
  const value = (schema: Json): Json => generated(schema, { document, random, wrong, known }, 0);
  const headers: Record<string, string> = {};
  const query: string[] = [];
  let { path } = operation;
  for (const parameter of operation.parameters.map((one) => resolved(one, document))) {
    const text = (): string => asText(value(parameter.schema));
    if (parameter.in === 'path')
      path = path.replace(`{${parameter.name}}`, encoded(pickId(known, random) ?? text()));
    else if (parameter.in === 'header' && random() < (parameter.required === true ? 0.9 : 0.08))
      headers[parameter.name] = headerText(text());
    // A stream that follows the log does not end.
    else if (parameter.in === 'query' && random() < 0.2 && parameter.name !== 'follow')
      query.push(`${encoded(parameter.name)}=${encoded(text())}`);
  }
  if (random() < wrong)
    query.push(`${encoded(asText(pick(hostile, random)))}=${encoded(asText(pick(hostile, random)))}`);
  const target = query.length === 0 ? path : `${path}?${query.join('&')}`;
  if (operation.bodyType === undefined) return { operation, path: target, headers, body: undefined };
  headers['content-type'] = random() < wrong / 3 ? 'text/plain' : operation.bodyType;
  return { operation, path: target, headers, body: bodyOf(operation, value, random, wrong) };
}

function bodyOf(
  { bodyType, bodySchema }: FuzzedOperation,
  value: (schema: Json) => Json,
  random: Random,
  wrong: number,
): Buffer {
  const isLines = bodyType!.includes('ndjson');
  const lines = Array.from({ length: isLines ? 1 + Math.floor(random() * 4) : 1 }, () =>
    JSON.stringify(value(bodySchema)),
  );
  const bytes = Buffer.from(lines.join('\n'));
  if (random() >= wrong) return bytes;
  const at = Math.floor(random() * bytes.length);
  return pick(
    [
      () => bytes.subarray(0, at),
      () => Buffer.concat([bytes.subarray(0, at), Buffer.from([0xff, 0xc0, 0x00]), bytes.subarray(at)]),
      () => Buffer.from('['.repeat(10_000)),
      () => Buffer.from(`{${'"a":1,'.repeat(2_000)}"a":1}`),
      () => Buffer.alloc(0),
    ],
    random,
  )();
}

interface Context {
  readonly document: Json;
  readonly random: Random;
  /** Chance that a value is replaced by a hostile one. */
  readonly wrong: number;
  readonly known: readonly string[];
}

function generated(given: Json, context: Context, depth: number): Json {
  const { document, random, wrong, known } = context;
  const schema = resolved(given, document);
  if (random() < wrong || schema === undefined || depth > deepest) return pick(hostile, random);
  const inner = (one: Json): Json => generated(one, context, depth + 1);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return inner(pick(choices, random));
  if (schema.allOf) return Object.assign({}, ...schema.allOf.map(inner));
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return pick(schema.enum, random);
  const type = Array.isArray(schema.type) ? pick(schema.type, random) : schema.type;
  switch (type) {
    case 'object': {
      const required = new Set(schema.required ?? []);
      const fields = Object.entries(schema.properties ?? {}).filter(
        ([name]) => required.has(name) || random() < 0.3,
      );
      return Object.fromEntries(fields.map(([name, field]) => [name, inner(field)]));
    }
    case 'array':
      return Array.from({ length: Math.floor(random() * 4) }, () => inner(schema.items));
    case 'integer':
    case 'number': {
      const least = schema.minimum ?? 0;
      const drawn = least + random() * ((schema.maximum ?? least + 100) - least);
      return type === 'integer' ? Math.round(drawn) : drawn;
    }
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    default:
      return (
        pickId(known, random) ??
        pick(
          ['alice', 'The gateway caches tokens for ten minutes.', 'deploy', '2026-05-04T08:00:00Z', 'é中文'],
          random,
        )
      );
  }
}

function resolved(schema: Json, document: Json): Json {
  const reference = schema?.$ref as string | undefined;
  if (reference === undefined) return schema;
  return reference
    .slice(2)
    .split('/')
    .reduce((at: Json, name) => at?.[name], document);
}

/** Sometimes an id that exists, so that requests get past the first check. */
function pickId(known: readonly string[], random: Random): string | undefined {
  return known.length > 0 && random() < 0.3 ? pick(known, random) : undefined;
}

const asText = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Percent-encoded; a lone surrogate has no encoding. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());

/** What a client can send at all in a header. */
// oxlint-disable-next-line no-control-regex
const headerText = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?').slice(0, 4_000);
