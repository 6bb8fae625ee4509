import { z } from 'zod';
import { parseInput } from '../domain/input/parse-input.ts';
import { Problem } from '../domain/problems.ts';
import { withConflictsSought, type CommandContext, type CommandServices } from './context.ts';
import { LineOrder } from './line-order.ts';
import type { InTurn, StoreResult } from './create-memory.ts';
import { putMemory } from './put-memory.ts';
import {
  answerConflicts,
  isAnswered,
  type ConflictAnswer,
  type ConflictFinder,
} from './resolve-conflicts.ts';
import { storeMemory, storeMemoryInput } from './store-memory.ts';

/** A memory to store; with `upsert`, it replaces the memory with its externalId. */
const bulkLineInput = storeMemoryInput
  .extend({ upsert: z.boolean().default(false) })
  .refine(({ upsert, externalId }) => !upsert || externalId !== undefined, {
    path: ['externalId'],
    message: 'is required with upsert',
  });

/** Lines that are stored concurrently: enough for the log to group their appends. */
const maxInFlight = 64;

/** One line of a bulk request. */
export interface BulkLine {
  /** 1-based over all lines sent, blank ones too. */
  readonly line: number;
  /** The memory to store, not yet validated; a `Problem` if the line could not be read. */
  readonly sent: unknown;
}

export interface BulkLineResult extends Omit<ConflictAnswer, 'position'> {
  readonly line: number;
  readonly status: number;
  readonly id?: string;
  readonly externalId?: string;
  /** Covers this line and all lines before it. */
  readonly position?: number;
  readonly problem?: Problem;
  /** A memory said the same already, and was told again. */
  readonly duplicate?: true;
  /** The memory with this externalId already had these values. */
  readonly unchanged?: true;
  /** The line was stored before under the same Idempotency-Key: this is its first answer. */
  readonly replayed?: true;
}

/** The lines of a request and its caller. */
export interface BulkRequest {
  readonly lines: AsyncIterable<BulkLine>;
  /** Each line has a command id of its own, so that a repeated body replays the lines that were stored. */
  readonly contextOf: (line: number, body: unknown) => CommandContext;
  /** Throws once the credential is no longer valid; a body may take longer to arrive than that. */
  readonly assertAllowed: () => Promise<void>;
  /** Converts any error to the answer of its line. */
  readonly asProblem: (error: unknown) => Problem;
  readonly finder: ConflictFinder;
}

/** Stores each line on its own. Yields results in order while further lines are read. */
export async function* bulkStore(
  services: CommandServices,
  request: BulkRequest,
): AsyncGenerator<BulkLineResult> {
  const { lines, assertAllowed, asProblem } = request;
  const inFlight: Promise<BulkLineResult>[] = [];
  const order = new LineOrder();
  let covered = 0;
  const next = async (): Promise<BulkLineResult> => {
    const result = await inFlight.shift()!;
    covered = Math.max(covered, result.position ?? 0);
    return covered > 0 ? { ...result, position: covered } : result;
  };
  const source = lines[Symbol.asyncIterator]();
  let reading: Promise<IteratorResult<BulkLine>> | undefined;
  let ended = false;
  try {
    while (!ended || inFlight.length > 0) {
      if (!ended && inFlight.length < maxInFlight) reading ??= readAhead(source);
      const first = inFlight[0];
      // Reading comes first, so that lines are stored together; while the sender pauses, results are sent.
      const step = await Promise.race([
        ...(reading ? [reading.then(() => 'read')] : []),
        ...(first ? [first.then(() => 'answer')] : []),
      ]);
      if (step === 'answer') {
        yield await next();
        continue;
      }
      const { value, done = false } = await reading!;
      reading = undefined;
      ended = done;
      if (done) continue;
      // Awaited line by line: no line may overtake an earlier one with the same externalId.
      const refusal = await assertAllowed().then(() => undefined, asProblem);
      const line = refusal ? { ...value, sent: refusal } : value;
      inFlight.push(storeLine(services, line, { order, earlier: [...inFlight], request }));
    }
  } finally {
    // Not awaited: it waits for a pending read, which a silent sender may never complete.
    source.return?.().catch(() => undefined);
  }
}

/** Starts to read the next line. Handles a rejection now, because it may be awaited much later. */
function readAhead(source: AsyncIterator<BulkLine>): Promise<IteratorResult<BulkLine>> {
  const reading = source.next();
  reading.catch(() => undefined);
  return reading;
}

async function storeLine(
  services: CommandServices,
  { line, sent }: BulkLine,
  {
    order,
    earlier,
    request: { contextOf, asProblem, finder },
  }: {
    readonly order: LineOrder;
    /** The lines before this one that are not answered yet. */
    readonly earlier: readonly Promise<BulkLineResult>[];
    readonly request: Pick<BulkRequest, 'contextOf' | 'asProblem' | 'finder'>;
  },
): Promise<BulkLineResult> {
  let externalId: string | undefined;
  try {
    if (sent instanceof Problem) throw sent;
    const input = parseInput(bulkLineInput, sent);
    externalId = input.externalId;
    const mode = input.onConflict;
    const context = withConflictsSought(contextOf(line, sent), mode);
    let upTo = 0;
    const result = await order.store(input, async (inTurn) => {
      // The lines before it are among the memories that it is compared with.
      if (isAnswered(mode)) {
        await Promise.all(earlier);
        upTo = await services.store.log.head();
      }
      return carryOut(services, context, input, inTurn);
    });
    const { snapshot, replayed, isUnchanged, isNew, affirmed } = result;
    const found = await answerConflicts(services, context, result, {
      mode,
      upTo,
      finder,
      explain: asProblem,
    });
    return {
      line,
      status: isNew ? 201 : 200,
      id: snapshot.state.value.id,
      ...(externalId !== undefined && { externalId }),
      ...found,
      ...(affirmed && { duplicate: true }),
      ...(isUnchanged && { unchanged: true }),
      ...(replayed && { replayed }),
    };
  } catch (error) {
    const problem = asProblem(error);
    return { line, status: problem.status, ...(externalId !== undefined && { externalId }), problem };
  }
}

async function carryOut(
  services: CommandServices,
  context: CommandContext,
  { upsert, ...memory }: z.infer<typeof bulkLineInput>,
  inTurn: InTurn,
): Promise<StoreResult & { readonly isNew: boolean }> {
  const { externalId } = memory;
  if (upsert && externalId !== undefined)
    return putMemory(services, context, { ...memory, externalId }, {}, inTurn);
  const stored = await storeMemory(services, context, memory, inTurn);
  return { ...stored, isNew: !stored.affirmed };
}
