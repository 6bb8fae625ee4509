import type { AppendResult, ClaimAppend } from '../../ports/event-log.ts';
import { LogUnavailable, WrongExpectedRevision } from '../../ports/event-log.ts';
import { KeyTaken, type NewKey } from '../../ports/key-vault.ts';
import { SqlUnavailable, sqlState, type Sql } from '../../ports/sql.ts';
import { GroupCommitter } from '../../support/resilience/group-committer.ts';
import { keyTaken } from '../vault/schema.ts';

export interface Append extends ClaimAppend {
  readonly newKey?: NewKey;
  readonly claim?: ClaimAppend;
}

interface Outcome extends Record<string, unknown> {
  readonly outcome: 'appended' | 'repeated' | 'conflict';
  readonly last_revision: number | null;
  readonly last_position: number | null;
  readonly at: Date | null;
}

/** Groups the appends of this process, so that each group needs only one lock on the head and one sync. */
export function appendQueue(sql: Sql): GroupCommitter<Append, AppendResult> {
  return new GroupCommitter((appends) => appendGroup(sql, appends).catch(rethrow), {
    maxItems: 256,
    alternate: true,
    maxSize: 4_000_000,
    sizeOf: ({ events }) => events.reduce((sum, event) => sum + event.data.length + event.metadata.length, 0),
  });
}

async function appendGroup(sql: Sql, appends: readonly Append[]): Promise<(AppendResult | Error)[]> {
  const batch = appends.flatMap(({ newKey, claim, ...append }) => [
    ...(claim ? [itemOf(claim)] : []),
    { ...itemOf(append), ...(newKey && { key: rowOf(newKey) }), ...(claim && { needsPrevious: true }) },
  ]);
  // The vault's function exists only in a database with a vault.
  const append = appends.some(({ newKey }) => newKey) ? 'control.append_with_keys' : 'log.append';
  try {
    const outcomes = await sql.query<Outcome>(
      `select * from ${append}($1::text::jsonb)`,
      [JSON.stringify(batch)],
      { onePlan: true },
    );
    const next = outcomes.values();
    return appends.map((append) => {
      const claimed = append.claim && resultOf(append.claim, next.next().value!);
      const result = resultOf(append, next.next().value!);
      return claimed instanceof Error ? claimed : result;
    });
  } catch (error) {
    if (error instanceof SqlUnavailable) throw error;
    if (appends.length === 1) return [await refusalOf(sql, appends[0]!, error)];
    // A faulty append must not fail the others of its group.
    const results: (AppendResult | Error)[] = [];
    for (const append of appends) results.push(...(await appendGroup(sql, [append])));
    return results;
  }
}

function itemOf({ stream, expected, events }: ClaimAppend) {
  return {
    stream,
    category: stream.slice(0, stream.indexOf('-')),
    expected: String(expected),
    events,
  };
}

function rethrow(error: unknown): never {
  throw error instanceof SqlUnavailable ? new LogUnavailable(error.message, { cause: error }) : error;
}

function rowOf({ ref: { tenant, id, subject }, wrapped }: NewKey): Record<string, string> {
  return { tenant, id, subject, wrapped: Buffer.from(wrapped).toString('base64') };
}

const uniqueViolation = '23505';

/** The error of a single append. An id that exists at another position means that the writer's expectation is wrong. */
async function refusalOf(sql: Sql, { stream, expected, newKey }: Append, error: unknown): Promise<Error> {
  if (newKey && sqlState(error) === keyTaken) return new KeyTaken(newKey.ref.id);
  if (sqlState(error) !== uniqueViolation) return error instanceof Error ? error : new Error(String(error));
  const [row] = await sql.query<{ last: number | null }>(
    'select max(revision) as last from log.events where stream = $1',
    [stream],
  );
  return new WrongExpectedRevision(stream, expected, row?.last ?? undefined);
}

function resultOf({ stream, expected }: ClaimAppend, outcome: Outcome): AppendResult | Error {
  if (outcome.outcome === 'conflict') {
    return new WrongExpectedRevision(stream, expected, outcome.last_revision ?? undefined);
  }
  return {
    revision: outcome.last_revision!,
    position: outcome.last_position!,
    time: outcome.at!,
    repeated: outcome.outcome === 'repeated',
  };
}
