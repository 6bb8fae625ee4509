import { z } from 'zod';
import { bulkStore as store, type BulkLine, type BulkLineResult } from '../../commands/bulk-store.ts';
import { lineIdentity } from '../command-id.ts';
import { ItemStream, operation } from '../operation.ts';
import { problemDocument } from '../problem.ts';
import { conflictFields, duplicateField } from './conflicts.ts';
import { bulkExample, bulkLineExample } from './examples.ts';
import { writers } from './roles.ts';

export type { BulkLine } from '../../commands/bulk-store.ts';

const isAsyncIterable = (value: unknown): value is AsyncIterable<BulkLine> =>
  typeof value === 'object' && value !== null && Symbol.asyncIterator in value;

/** A caller who may not write is refused line by line. */
export const bulkStore = operation({
  name: 'bulkStore',
  summary:
    'Store many memories, one JSON object per line; `upsert: true` replaces the memory with the same externalId. Results are streamed line by line',
  area: 'Memories',
  input: z.strictObject({ lines: z.custom<AsyncIterable<BulkLine>>(isAsyncIterable, 'must be a stream') }),
  output: z
    .object({
      line: z.int(),
      status: z.int(),
      id: z.string().optional(),
      externalId: z.string().optional(),
      position: z.string().optional(),
      problem: z.record(z.string(), z.unknown()).optional(),
      unchanged: z
        .literal(true)
        .optional()
        .meta({ description: 'Present with `upsert` if the memory was already the same' }),
      replayed: z
        .literal(true)
        .optional()
        .meta({ description: 'Present if the memory was already stored with the same Idempotency-Key' }),
      ...duplicateField,
      ...conflictFields,
    })
    .meta({ id: 'BulkLine' }),
  examples: { input: bulkExample, output: bulkLineExample },
  access: 'every-caller',
  serves: writers.roles,
  command: { scope: () => ['POST', '/v1/memories/bulk'], arguments: null },
  shape: () => 'bulk',
  async handle({
    caller,
    input: { lines },
    context,
    services: { commands, conflicts: finder, bulkPace },
    signal,
    credential,
    explain,
    token,
  }) {
    const { idempotency: whole, ...each } = context;
    const results = store(commands, {
      lines: atPace(lines, () => bulkPace.next(signal)),
      contextOf: (line, body) => {
        const idempotency = lineIdentity(commands.vault, caller, whole, line, body);
        return { ...each, ...(idempotency && { idempotency }) };
      },
      assertAllowed: credential.assertStillValid,
      asProblem: explain,
      finder,
    });
    const answer = ({ position, problem, ...result }: BulkLineResult) => ({
      ...result,
      ...(position !== undefined && { position: token(position) }),
      ...(problem && { problem: problemDocument(problem, context.correlationId) }),
    });
    async function* batches() {
      for await (const result of results) yield [answer(result)];
    }
    return { output: new ItemStream(batches()) };
  },
});

/** The same lines, each read when it may be taken. */
async function* atPace(lines: AsyncIterable<BulkLine>, next: () => Promise<void>): AsyncGenerator<BulkLine> {
  await next();
  for await (const line of lines) {
    yield line;
    await next();
  }
}
