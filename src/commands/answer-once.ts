import type { ClaimEvent } from '../domain/claim/claim.ts';
import { Problem } from '../domain/problems.ts';
import type { JsonObject } from '../domain/json.ts';
import { WrongExpectedRevision } from '../ports/event-log.ts';
import { assertSameBody } from './change-stream.ts';
import { claimStreamOf } from './claims.ts';
import { eventContext, type CommandContext, type CommandServices } from './context.ts';

/**
 * Acts, and under an Idempotency-Key remembers the answer: for commands that leave no event from which it could be told
 * again, or a `part` of their answer. A repetition answers as the first time and does nothing.
 */
export async function answerOnce<Answer extends JsonObject>(
  services: CommandServices,
  context: CommandContext,
  act: () => Promise<Answer>,
  part: 'command' | 'counters' | 'plan' = 'command',
): Promise<{ answer: Answer; replayed: boolean }> {
  const { store, vault } = services;
  const { idempotency, caller } = context;
  if (!idempotency) return { answer: await act(), replayed: false };
  const stream = claimStreamOf(vault, caller.tenant, part, idempotency.commandId);
  const last = (await store.load<ClaimEvent>(stream)).at(-1);
  if (last?.event.type === 'CommandAnswered' && last.event.data.answer) {
    assertSameBody(last, idempotency);
    return { answer: last.event.data.answer as Answer, replayed: true };
  }
  const answer = await act();
  // The reason stands in the event of the act itself.
  const { reason: _, ...answered } = eventContext(context);
  const data = { memoryId: '', revision: -1, position: 0, answer };
  try {
    await store.append(stream, last?.revision ?? 'noStream', [{ type: 'CommandAnswered', data }], answered);
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    // A twin of this command was faster: what it remembered is what is told again.
    return answerOnce(services, context, act, part);
  }
  return { answer, replayed: false };
}

/**
 * As `answerOnce`, for an act that would do something else if it were done again: what it is to do is decided once and
 * remembered before it begins. `carryOut` finds the act undone, begun or done, and may run beside itself. What it refuses
 * was not done, so that a repetition decides anew, unless `staysDecided`.
 */
export async function carryOutOnce<Plan extends JsonObject, Answer extends JsonObject>(
  services: CommandServices,
  context: CommandContext,
  decide: () => Promise<Plan>,
  carryOut: (plan: Plan) => Promise<Answer>,
  { staysDecided = false }: { readonly staysDecided?: boolean } = {},
): Promise<{ answer: Answer; replayed: boolean }> {
  const { answer: plan } = await answerOnce(services, context, decide, 'plan');
  try {
    return await answerOnce(services, context, () => carryOut(plan));
  } catch (error) {
    const isRefused = error instanceof Problem && error.status < 500;
    if (isRefused && !staysDecided) await forgetPlan(services, context);
    throw error;
  }
}

async function forgetPlan({ store, vault }: CommandServices, context: CommandContext): Promise<void> {
  const { idempotency, caller } = context;
  if (!idempotency) return;
  const stream = claimStreamOf(vault, caller.tenant, 'plan', idempotency.commandId);
  const last = (await store.load<ClaimEvent>(stream)).at(-1);
  if (last?.event.type !== 'CommandAnswered') return;
  // A twin of this command did it meanwhile: what it remembered is told again.
  const answered = claimStreamOf(vault, caller.tenant, 'command', idempotency.commandId);
  if ((await store.load<ClaimEvent>(answered)).length > 0) return;
  const { reason: _, ...freeing } = eventContext(context);
  try {
    await store.append(stream, last.revision, [{ type: 'ClaimReleased', data: { memoryId: '' } }], freeing);
  } catch (error) {
    // A twin of this command was faster.
    if (!(error instanceof WrongExpectedRevision)) throw error;
  }
}
