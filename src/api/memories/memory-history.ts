import { z } from 'zod';
import { fingerprintOf, invalidCursor, readCursor, writeCursor } from '../../queries/cursors.ts';
import { readHistory } from '../../queries/history.ts';
import { defaultLimit, memoryIdField, pageFields, positionField, waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { historyExample, memoryExample } from './examples.ts';
import { includeQuarantinedField, withheldFor } from './withheld.ts';
import { readers } from './roles.ts';

const version = z.object({
  revision: z.int(),
  type: z.string(),
  at: z.iso.datetime(),
  actor: z.string(),
  onBehalfOf: z.string().optional(),
  cause: z.string(),
  reason: z.string().optional(),
  changes: z.record(z.string(), z.object({ from: z.unknown().optional(), to: z.unknown().optional() })),
  position: positionField,
});

export const memoryHistory = operation({
  name: 'memoryHistory',
  summary: 'List all versions of a memory: who changed it, when and why',
  area: 'Memories',
  input: z.strictObject({
    memoryId: memoryIdField,
    includeQuarantined: includeQuarantinedField,
    ...pageFields,
    ...waitFields,
  }),
  output: z.object({ items: z.array(version), nextCursor: z.string().optional() }),
  examples: { input: { memoryId: memoryExample.id }, output: historyExample },
  access: 'every-caller',
  serves: readers,
  reads: 'log',
  audit: { what: 'memory history', when: 'always' },
  async handle(call) {
    const { caller, input, services, token } = call;
    const { memoryId, cursor, limit = defaultLimit } = input;
    const bound = fingerprintOf({ historyOf: memoryId });
    const from = cursor === undefined ? 0 : firstOf(readCursor(cursor, bound));
    const versions = (await readHistory(services.commands.store, caller, memoryId, withheldFor(call))).slice(
      from,
    );
    const items = versions
      .slice(0, limit)
      .map((version) => ({ ...version, at: version.at.toISOString(), position: token(version.position) }));
    const nextCursor = versions.length > limit ? writeCursor(`${from + limit}`, bound) : undefined;
    return { output: { items, nextCursor }, read: { memoryId, items: items.length } };
  },
});

/** Number of the first version of the next page. */
function firstOf(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw invalidCursor();
  return Number(text);
}
