import { Problem } from '../domain/problems.ts';
import type { CommandContext, CommandServices } from './context.ts';
import { LineOrder } from './line-order.ts';
import { storeMemory, storeMemoryInput } from './store-memory.ts';

/** Lines at work at once: enough that the log groups their appends. */
const maxInFlight = 64;

/** One line of a bulk request. */
export interface BulkLine {
  /** 1-based over all lines sent, blank ones too. */
  readonly line: number;
  /** The memory to store, not yet validated; a `Problem` if the line could not be read. */
  readonly sent: unknown;
}

export interface BulkLineResult {
  readonly line: number;
  readonly status: number;
  readonly id?: string;
  readonly externalId?: string;
  /** Covers this line and all before it. */
  readonly position?: number;
  readonly problem?: Problem;
  /** The line was done before, under the same Idempotency-Key: this is its first answer again. */
  readonly replayed?: true;
}

/** A body and who sends it. */
export interface BulkRequest {
  readonly lines: AsyncIterable<BulkLine>;
  /** Each line has a command id of its own, so that the whole body sent again replays the lines that are done. */
  readonly contextOf: (line: number, body: unknown) => CommandContext;
  /** Throws once the caller may store no more: a body may outlast its credential. */
  readonly assertAllowed: () => Promise<void>;
  /** The answer to any error. */
  readonly asProblem: (error: unknown) => Problem;
}

/** Stores each line on its own and answers in order while it reads. */
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
      // What is ready to be read goes first, so that lines are stored together; a sender that pauses gets its answers.
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
      // One at a time: no line may come before an earlier one that has its externalId.
      const refusal = await assertAllowed().then(() => undefined, asProblem);
      const line = refusal ? { ...value, sent: refusal } : value;
      inFlight.push(storeLine(services, line, order, request));
    }
  } finally {
    // Not awaited: it waits behind a read that a silent sender may never fulfil.
    source.return?.().catch(() => undefined);
  }
}

/** The next line. Its failure is met where it is awaited, however late. */
function readAhead(source: AsyncIterator<BulkLine>): Promise<IteratorResult<BulkLine>> {
  const reading = source.next();
  reading.catch(() => undefined);
  return reading;
}

async function storeLine(
  services: CommandServices,
  { line, sent }: BulkLine,
  order: LineOrder,
  { contextOf, asProblem }: Pick<BulkRequest, 'contextOf' | 'asProblem'>,
): Promise<BulkLineResult> {
  let externalId: string | undefined;
  try {
    if (sent instanceof Problem) throw sent;
    const input = storeMemoryInput.parse(sent);
    externalId = input.externalId;
    const { snapshot, position, replayed } = await order.store(input, (inTurn) =>
      storeMemory(services, contextOf(line, sent), input, inTurn),
    );
    return {
      line,
      status: 201,
      id: snapshot.state.value.id,
      ...(externalId !== undefined && { externalId }),
      position,
      ...(replayed && { replayed }),
    };
  } catch (error) {
    const problem = asProblem(error);
    return { line, status: problem.status, ...(externalId !== undefined && { externalId }), problem };
  }
}
