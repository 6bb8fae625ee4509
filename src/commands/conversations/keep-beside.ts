import { toldKey, type FactClaim } from '../../domain/memory/affirmation.ts';
import type { MemoryEvent } from '../../domain/memory/events.ts';
import { decide, evolve, initialState, type MemoryValue } from '../../domain/memory/memory.ts';
import { assertFits } from '../../domain/memory/size.ts';
import { factStream, memoryStream } from '../../domain/streams.ts';
import { WrongExpectedRevision } from '../../ports/event-log.ts';
import { claimStreamOf, takeClaim } from '../claims.ts';
import { eventContext, unsealedContext, type CommandContext, type CommandServices } from '../context.ts';
import { withinQuotas } from '../change-memory.ts';
import { checkEntry } from '../entry/check-entry.ts';
import { findTold } from '../store-fact.ts';
import { newMemoryKey, place, type StoreMemoryInput } from '../store-memory.ts';
import { linkSources } from './tell-fact.ts';

/**
 * Stores a fact of a generation that is not live: archived in the same append, so that no search ever finds it, and without affirming
 * or superseding anything. A memory that says the same already belongs to both generations.
 */
export async function keepBeside(
  services: CommandServices,
  context: CommandContext,
  fact: StoreMemoryInput,
  { generation, turnIds }: { readonly generation: number; readonly turnIds: readonly string[] },
): Promise<{ readonly memoryId: string; readonly outcome: 'stored' | 'same' }> {
  const { tenant } = context.caller;
  const placed = place(context.caller, fact);
  assertFits(placed);
  const value = {
    ...placed,
    ...(await checkEntry(services, context, placed, { source: fact.trust?.source })),
  };
  const key = newMemoryKey(services, context, fact, value);
  const told = await findTold(services, context, { value, subject: undefined });
  if (told) return { memoryId: told[0]!.event.data.memoryId, outcome: 'same' };
  const claim = claimStreamOf(services.vault, tenant, 'fact-beside', `${generation} ${toldKey(value)}`);
  const memoryId = await takeClaim(services, context, claim, services.newId());
  const stored = decide({ type: 'store', value: { ...value, id: memoryId } }, initialState);
  const events = [...stored, ...decide({ type: 'archive' }, stored.reduce(evolve, initialState))];
  const stream = memoryStream(tenant, memoryId);
  try {
    await withinQuotas(services, context, [], events, () =>
      services.store.append(stream, 'noStream', events, eventContext(context, key)),
    );
  } catch (error) {
    if (!(error instanceof WrongExpectedRevision)) throw error;
    const [first] = await services.store.load<MemoryEvent>(stream);
    if (first?.metadata.commandId !== context.idempotency?.commandId) return { memoryId, outcome: 'same' };
  }
  const { idempotency: _, ...own } = context;
  await linkSources(services, own, memoryId, turnIds);
  return { memoryId, outcome: 'stored' };
}

/** Makes this memory the one to affirm when its text is told again, unless another one is that. */
export async function claimTold(
  services: CommandServices,
  context: CommandContext,
  value: MemoryValue,
): Promise<void> {
  if (await findTold(services, context, { value, subject: undefined })) return;
  const { tenant } = context.caller;
  const stream = factStream(tenant, services.vault.pseudonym('fact', tenant, toldKey(value)));
  const [held] = await services.store.loadLast<FactClaim>(stream, 1);
  const claimed: FactClaim = { type: 'FactClaimed', data: { memoryId: value.id } };
  await services.store
    .append(stream, held?.revision ?? 'noStream', [claimed], unsealedContext(context))
    .catch((error: unknown) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    });
}
