/** A filter of the HTTP API. */
type Filter = Readonly<Record<string, unknown>>;

const operators = {
  $eq: 'eq',
  $ne: 'ne',
  $gt: 'gt',
  $gte: 'gte',
  $lt: 'lt',
  $lte: 'lte',
} as const;

const known = [...Object.keys(operators), '$in', '$nin'];

/**
 * LangGraph's filter on fields of the value as filters of the API. Undefined if nothing can match it. Where a field is a
 * list, `$eq` and `$in` ask for a member, as in all filters of the API.
 */
export function searchFilter(filter: Readonly<Record<string, unknown>>): readonly Filter[] | undefined {
  const tests: Filter[] = [];
  for (const [field, wanted] of Object.entries(filter)) {
    for (const [operator, operand] of Object.entries(testsOf(wanted, field))) {
      const name = `metadata.value["${field.replaceAll(/["\\]/g, String.raw`\$&`)}"]`;
      if (operator === '$in' || operator === '$nin') {
        const values = listOf(operand, `filter.${field}.${operator}`);
        const oneOf = { [name]: { in: values } };
        if (operator === '$in' && values.length === 0) return undefined;
        if (values.length > 0) tests.push(operator === '$in' ? oneOf : { not: oneOf });
      } else {
        const value = scalar(operand, `filter.${field}`);
        tests.push({ [name]: { [operators[operator as keyof typeof operators]]: value } });
      }
    }
  }
  return tests;
}

function testsOf(wanted: unknown, field: string): Readonly<Record<string, unknown>> {
  if (typeof wanted !== 'object' || wanted === null) return { $eq: wanted };
  const unknown = Object.keys(wanted).find((key) => !known.includes(key));
  if (unknown !== undefined || Array.isArray(wanted))
    throw new TypeError(
      `filter.${field} must be a text, a number, true, false, null, or an object of ${known.join(', ')}`,
    );
  return wanted as Readonly<Record<string, unknown>>;
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError(`${path} must be a list`);
  return value.map((item: unknown, index) => scalar(item, `${path}.${index}`));
}

function scalar(value: unknown, path: string): string | number | boolean | null {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`${path} must be a text, a finite number, true, false or null`);
}
