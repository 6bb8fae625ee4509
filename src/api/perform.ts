import type { z } from 'zod';
import { isMaster } from '../commands/api-keys.ts';
import type { CommandContext, Idempotency } from '../commands/context.ts';
import { recordAuditRead } from '../commands/record-audit-read.ts';
import { causes, hasRole, type Cause, type TenantContext } from '../domain/access/context.ts';
import { requiresAuditRecord } from '../domain/access/audited-reads.ts';
import { parseInput } from '../domain/input/parse-input.ts';
import { assertNamesServedUser } from '../domain/access/on-behalf.ts';
import { textError } from '../domain/json.ts';
import type { Scope } from '../domain/layers.ts';
import { timestamp } from '../domain/memory/content.ts';
import { mustBePositionOrTime } from '../domain/position.ts';
import { invalid, Problem } from '../domain/problems.ts';
import type { EventStore } from '../ports/event-store.ts';
import { untilLogReaches } from '../queries/read-models.ts';
import { inRequest, type Turn } from '../support/request-scope.ts';
import type { RateState } from './admission/rate-limits.ts';
import { commandIdentity } from './command-id.ts';
import {
  ItemStream,
  type Access,
  type Call,
  type CommandRule,
  type Credential,
  type Operation,
  type Outcome,
  type Wait,
} from './operation.ts';
import { asProblem } from './problem.ts';
import type { Services } from './services.ts';
import { currentPlace } from '../support/tracing.ts';

/** A call as a transport hands it over. Only the caller has been checked. */
export interface Request {
  readonly caller: TenantContext;
  /** Checked against the input schema of the operation. */
  readonly input: unknown;
  /** Id of the request or session. */
  readonly correlationId: string;
  readonly traceId?: string | undefined;
  /** Why; sealed with the event. */
  readonly reason?: string | undefined;
  /** One of `causes`; `user` if absent. */
  readonly cause?: string | undefined;
  readonly idempotencyKey?: string | undefined;
  /** What the transport calls the three fields above, for problems that name them. */
  readonly fieldNames?: Readonly<Record<'reason' | 'cause' | 'idempotencyKey', string>>;
  /** Told what is left to a caller whose rate is limited, before the work begins. */
  readonly onRateLimit?: (state: RateState) => void;
  /** How long a query waits for the caller's own latest commands; 500 ms if absent. */
  readonly ownWaitMs?: number;
  readonly signal?: AbortSignal;
  readonly credential?: Credential;
  readonly explain?: (error: unknown) => Problem;
}

const ownFieldNames = { reason: 'reason', cause: 'cause', idempotencyKey: 'idempotencyKey' } as const;
const permanent: Credential = { isStillValid: async () => true, assertStillValid: async () => undefined };
/** Work of a call that declares none, in units of a plain search. */
const plainCost = 0.1;
const maxReasonLength = 500;
const defaultOwnWaitMs = 500;
const keyPattern = /^[\x21-\x7e]{1,255}$/;

/**
 * Calls an operation: the single entry that every transport uses. Validates the input, applies the rules that the
 * operation declares, and records the audit event before the output is returned. Throws a `Problem`, or the error of a
 * server behind this one; `asProblem` converts all of them.
 */
export async function perform<Input extends z.ZodObject, Output>(
  operation: Operation<Input, Output>,
  request: Request,
  services: Services,
): Promise<Outcome<Output>> {
  const { caller, credential = permanent, explain = asProblem } = request;
  assertMasterMayCall(operation, caller);
  const input = parseInput(operation.input, request.input, operation.fieldHints);
  const context = contextOf(operation, input, request, services);
  assertAccess(operation.access, caller);
  assertRevisionNamed(operation, input);
  assertOwnScope(caller, input);
  const call: Call<z.output<Input>> = {
    caller,
    input,
    context,
    services,
    ...(await positionsOf(operation, input, caller, services)),
    signal: request.signal ?? new AbortController().signal,
    credential,
    explain,
    // Every acknowledged command tells the caller its position, also line by line in a bulk store.
    token(position) {
      if (operation.command) services.ownWrites.add(caller, position);
      return services.positions.of(caller, position);
    },
  };
  const missing = await missingOwn(operation, input, request, services);
  const outcome = await admitted(operation, call, request, (turn) =>
    inRequest({ signal: call.signal, turn }, async () => {
      const handled = await operation.handle(call);
      await audit(operation, handled, call);
      return handled;
    }),
  );
  return missing > 0 ? withMissing(outcome, missing) : outcome;
}

/** Does the work when the limits of the caller's tenant and its turn allow it. A stream counts as under way until its end. */
async function admitted<Input extends z.ZodObject, Output>(
  operation: Operation<Input, Output>,
  { caller, input, services, signal }: Call<z.output<Input>>,
  { onRateLimit }: Request,
  work: (turn: Turn | undefined) => Promise<Outcome<Output>>,
): Promise<Outcome<Output>> {
  const demand = { cost: operation.cost?.(input) ?? plainCost, needsTurn: operation.cost !== undefined };
  const leave = services.admission.enter(caller, operation.shape?.(input));
  let isStream = false;
  try {
    const { turn, end } = await services.admission.admit(caller, demand, signal, onRateLimit);
    try {
      const outcome = await work(turn);
      if (!(outcome.output instanceof ItemStream)) return outcome;
      isStream = true;
      // A stream whose caller leaves before the first batch is never read.
      signal.addEventListener('abort', leave, { once: true });
      return { ...outcome, output: outcome.output.endingWith(leave) as Output };
    } finally {
      end();
    }
  } finally {
    if (!isStream) leave();
  }
}

/** The master key creates tenants and keys, erases tenants, and may do nothing else. */
export function assertMasterMayCall({ access }: Operation, caller: TenantContext): void {
  if (!isMaster(caller) || (access !== 'every-caller' && access.masterKey)) return;
  throw new Problem(
    'forbidden',
    'the master key creates tenants and keys, erases tenants, and may do nothing else',
  );
}

function assertAccess(access: Access, caller: TenantContext): void {
  if (access === 'every-caller' || hasRole(caller, ...access.roles)) return;
  if (access.masterKey && isMaster(caller)) return;
  throw new Problem('forbidden', access.refusal);
}

function assertRevisionNamed(
  { expectedRevision }: Operation,
  input: { readonly expectedRevision?: unknown },
): void {
  if (expectedRevision !== 'required' || input.expectedRevision !== undefined) return;
  throw new Problem('match-required', 'a change of a memory needs If-Match with its ETag, or *');
}

/** Refuses a scope with another user than the one that an agent acts for, even if the scope only narrows a query. */
function assertOwnScope(caller: TenantContext, { scope }: { readonly scope?: Scope | undefined }): void {
  if (scope) assertNamesServedUser(caller, scope);
}

function contextOf<Input extends z.ZodObject>(
  operation: Operation<Input>,
  input: z.output<Input>,
  request: Request,
  { commands: { vault } }: Services,
): CommandContext {
  const { caller, correlationId, traceId, reason } = request;
  const place = currentPlace();
  const names = request.fieldNames ?? ownFieldNames;
  if (reason !== undefined) assertReason(reason, names.reason);
  const cause = readCause(request.cause, names.cause);
  const idempotency = idempotencyOf(operation, input, request, names.idempotencyKey, (command) =>
    commandIdentity(vault, caller, command),
  );
  return {
    caller,
    cause,
    correlationId,
    ...(reason !== undefined && { reason }),
    ...(traceId !== undefined && { traceId }),
    ...(place?.traceId === traceId && place),
    ...(idempotency && { idempotency }),
  };
}

function assertReason(reason: string, name: string): void {
  if (Array.from(reason).length > maxReasonLength)
    throw invalid(name, `must have at most ${maxReasonLength} characters`);
  const fault = textError(reason);
  if (fault !== undefined) throw invalid(name, fault);
}

function readCause(sent: string = 'user', name: string): Cause {
  const cause = causes.find((known) => known === sent);
  if (cause === undefined) throw invalid(name, `must be one of ${causes.join(', ')}`);
  return cause;
}

/** An idempotency key of an operation that changes nothing is checked and has no effect. */
function idempotencyOf<Input extends z.ZodObject>(
  { command }: Operation<Input>,
  input: z.output<Input>,
  { idempotencyKey: key, input: sent }: Request,
  name: string,
  identify: (command: Parameters<typeof commandIdentity>[2]) => Idempotency,
): Idempotency | undefined {
  if (key === undefined) return undefined;
  if (!keyPattern.test(key)) throw invalid(name, 'must be 1 to 255 visible ASCII characters');
  if (!command) return undefined;
  return identify({
    key,
    scope: command.scope(input),
    sent: argumentsOf(command, sent as object),
    variant: command.variant?.(input) ?? '',
  });
}

function argumentsOf<Input>({ arguments: schema }: CommandRule<Input>, sent: object): object | null {
  if (!schema) return schema === null ? null : sent;
  return Object.fromEntries(Object.entries(sent).filter(([field]) => field in schema.shape));
}

async function positionsOf(
  { reads }: Operation,
  input: Record<string, unknown>,
  caller: TenantContext,
  { commands: { store, clock }, positions }: Services,
): Promise<{ readonly asOf: number | undefined; readonly wait: Wait }> {
  const {
    asOf: sent,
    minPosition,
    waitMs,
  } = input as {
    readonly asOf?: string;
    readonly minPosition?: string;
    readonly waitMs?: number;
  };
  const asOf = await readAsOf(store, clock.now(), sent, (token) =>
    positions.parse(caller, token, 'asOf', mustBePositionOrTime),
  );
  const wait = {
    ...(minPosition !== undefined && {
      minPosition: positions.parseLast(caller, minPosition, 'minPosition'),
    }),
    ...(waitMs !== undefined && { waitMs }),
  };
  if (reads === 'log') await untilLogReaches(store.log, Math.max(wait.minPosition ?? 0, asOf ?? 0), waitMs);
  return { asOf, wait };
}

/** Waits for the caller's own latest commands, and returns how many of them the answer will not include. */
async function missingOwn(
  { awaitsOwn }: Operation,
  input: Record<string, unknown>,
  { caller, ownWaitMs = defaultOwnWaitMs }: Request,
  { ownWrites }: Services,
): Promise<number> {
  if (!awaitsOwn || input['minPosition'] !== undefined || input['asOf'] !== undefined) return 0;
  const { waitMs = ownWaitMs } = input as { readonly waitMs?: number };
  return waitMs === 0 ? 0 : ownWrites.missing(caller, awaitsOwn, Math.min(waitMs, ownWaitMs));
}

/** Adds a warning to an answer that has warnings. */
function withMissing<Output>(outcome: Outcome<Output>, missing: number): Outcome<Output> {
  const { warnings } = outcome.output as { readonly warnings?: readonly object[] };
  if (!warnings) return outcome;
  const detail = `${missing} of your latest changes ${missing === 1 ? 'is' : 'are'} not searchable yet`;
  return { ...outcome, output: { ...outcome.output, warnings: [...warnings, { code: 'indexing', detail }] } };
}

/** The position that `asOf` names; for a time, the last position accepted at or before it. */
async function readAsOf(
  store: EventStore,
  now: Date,
  asOf: string | undefined,
  parse: (token: string) => number,
): Promise<number | undefined> {
  if (asOf === undefined) return undefined;
  const time = timestamp.safeParse(asOf);
  if (!time.success) return parse(asOf);
  const at = new Date(time.data);
  if (at > now) throw invalid('asOf', 'lies in the future');
  return store.log.positionAt(at);
}

async function audit(
  { audit }: Operation,
  { read }: Outcome<unknown>,
  { caller, context, services }: Call<unknown>,
): Promise<void> {
  if (!audit || !read) return;
  const { memories = [], ...look } = read;
  if (audit.when === 'watched' && !requiresAuditRecord(caller, memories)) return;
  await recordAuditRead(services.commands, context, { what: audit.what, ...look });
}
