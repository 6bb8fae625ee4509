import { holder, type ClaimEvent } from '../domain/claim/claim.ts';
import { claimStream } from '../domain/streams.ts';
import { WrongExpectedRevision, type StreamName } from '../ports/event-log.ts';
import type { KeyVault } from '../ports/key-vault.ts';
import { unsealedContext, type CommandContext, type CommandServices } from './context.ts';

/** The stream that claims `value`, named by a keyed hash. */
export function claimStreamOf(vault: KeyVault, tenant: string, kind: string, value: string): StreamName {
  return claimStream(tenant, vault.pseudonym(kind, tenant, value));
}

/** The id that holds the claim; undefined if it is free. */
export async function claimHolder(
  { store }: CommandServices,
  stream: StreamName,
): Promise<string | undefined> {
  const loaded = await store.load<ClaimEvent>(stream);
  return holder(loaded.map(({ event }) => event));
}

/** Claims for `memoryId`; returns the id that holds the claim, which may be another one. */
export async function takeClaim(
  { store }: CommandServices,
  context: CommandContext,
  stream: StreamName,
  memoryId: string,
): Promise<string> {
  let expected: number | 'noStream' = 'noStream';
  for (;;) {
    try {
      await store.append(
        stream,
        expected,
        [{ type: 'ClaimTaken', data: { memoryId } }],
        unsealedContext(context),
      );
      return memoryId;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
    const loaded = await store.load<ClaimEvent>(stream);
    const present = holder(loaded.map(({ event }) => event));
    if (present !== undefined) return present;
    expected = loaded.at(-1)?.revision ?? 'noStream';
  }
}

/** Releases the claim if `memoryId` still holds it. */
export async function releaseClaim(
  { store }: CommandServices,
  context: CommandContext,
  stream: StreamName,
  memoryId: string,
): Promise<void> {
  for (;;) {
    const loaded = await store.load<ClaimEvent>(stream);
    if (holder(loaded.map(({ event }) => event)) !== memoryId) return;
    try {
      await store.append(
        stream,
        loaded.at(-1)!.revision,
        [{ type: 'ClaimReleased', data: { memoryId } }],
        unsealedContext(context),
      );
      return;
    } catch (error) {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    }
  }
}
