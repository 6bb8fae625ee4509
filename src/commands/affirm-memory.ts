import { setTimeout as sleep } from 'node:timers/promises';
import {
  affirmationsAfter,
  decideAffirmation,
  type AffirmationEvent,
  type Affirmations,
} from '../domain/memory/affirmation.ts';
import { Problem } from '../domain/problems.ts';
import { affirmationsStream } from '../domain/streams.ts';
import { WrongExpectedRevision, type StreamName } from '../ports/event-log.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import type { KeyRef } from '../ports/key-vault.ts';
import type { CommandRecord } from './command-record.ts';
import { eventContext, type CommandContext, type CommandServices } from './context.ts';

/** How often an affirmation may lose a race with other writers before the caller is told to retry. */
const maxAttempts = 20;
/** Events that a repeated command reads at once to find its own. */
const pageSize = 50;

export interface Affirmed {
  readonly affirmations: Affirmations;
  readonly revision: number;
  readonly position: number;
}

/** Records that a memory was told again at the time `told`. A command counts once, however often it is repeated. */
export async function affirmMemory(
  services: CommandServices,
  context: CommandContext,
  { memoryId, told, key }: { readonly memoryId: string; readonly told: string; readonly key: KeyRef },
  record: CommandRecord | undefined,
): Promise<Affirmed> {
  const { store } = services;
  const stream = affirmationsStream(context.caller.tenant, memoryId);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const [last] = await store.loadLast<AffirmationEvent>(stream, 1);
    const own = record && last && (await findOwn(services, record, stream));
    if (own) return affirmedBy(own);
    const event = decideAffirmation({ memoryId, told }, affirmationsAfter(last?.event));
    try {
      const expected = last?.revision ?? 'noStream';
      const appended = await store.append(stream, expected, [event], eventContext(context, key));
      return affirmedBy({ event, ...appended });
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
      await sleep(Math.random() * 5 * attempt);
    }
  }
  throw new Problem('unavailable', 'too many writers tell this fact at once', { retryAfter: 1 });
}

/** The affirmation with this revision. */
export async function affirmationAt(
  { store }: CommandServices,
  { caller: { tenant } }: CommandContext,
  memoryId: string,
  revision: number,
): Promise<Affirmed | undefined> {
  const loaded = await store.loadOne(affirmationsStream(tenant, memoryId), revision);
  return loaded && affirmedBy(loaded as LoadedEvent<AffirmationEvent>);
}

/** The affirmation that an earlier or concurrent run of the command appended: it comes after the first event of the command's record. */
async function findOwn(
  { store }: CommandServices,
  record: CommandRecord,
  stream: StreamName,
): Promise<LoadedEvent<AffirmationEvent> | undefined> {
  const begun = (await store.loadOne(record.stream, 0))?.position ?? Infinity;
  for (let from: number | undefined; ;) {
    const page = await store.loadLast<AffirmationEvent>(stream, pageSize, from);
    const own = page[record.lastEventIn(page)];
    if (own) return own;
    const first = page.at(-1);
    if (!first || first.position < begun || first.revision === 0) return undefined;
    from = first.revision - 1;
  }
}

function affirmedBy({
  event,
  revision,
  position,
}: Pick<LoadedEvent<AffirmationEvent>, 'event' | 'revision' | 'position'>): Affirmed {
  return { affirmations: affirmationsAfter(event), revision, position };
}
