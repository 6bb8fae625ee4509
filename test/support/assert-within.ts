import * as fc from 'fast-check';

/** Which part of its time a property gets: a third in the gate, which draws new inputs each time, and all of it in `npm run test:all`. */
const share = Number(process.env['STRATALOG_PROPERTY_SHARE'] ?? 1 / 3);

/**
 * Checks a property with `numRuns` random inputs, or with fewer on a slow machine: after its share of `limitMs` no further run starts.
 * The run in progress is awaited. With fast-check's own time limit it would go on concurrently with the next test, in the
 * same database.
 */
export async function assertWithin<Input>(
  property: fc.IAsyncProperty<Input>,
  { numRuns, limitMs }: { readonly numRuns: number; readonly limitMs: number },
): Promise<void> {
  const run = property.run.bind(property);
  let end = Infinity;
  property.run = async (...input) => {
    if (performance.now() > end) return null;
    if (end === Infinity) end = performance.now() + share * limitMs;
    return run(...input);
  };
  await fc.assert(property, { numRuns });
}
