import { z } from 'zod';
import {
  decideLink,
  foldLinks,
  noLinks,
  type LinkCommand,
  type LinkEvent,
  type LinkType,
} from '../domain/links/links.ts';
import { foldMemory, isLive, type LiveSnapshot } from '../domain/memory/snapshot.ts';
import { invalid } from '../domain/problems.ts';
import { linksStream } from '../domain/streams.ts';
import {
  assertNotDeleted,
  assertNotWithheld,
  assertWritable,
  loadVisibleMemory,
  unknownMemory,
  type MemoryResult,
} from './change-memory.ts';
import { changeStream } from './change-stream.ts';
import type { CommandContext, CommandServices } from './context.ts';

export const linkInput = z
  .strictObject({ confidence: z.number().min(0).max(1).default(1) })
  .meta({ id: 'Link' });

/** Links `source` to `target` by a link of this type; an existing link gets the new confidence. */
export async function linkMemories(
  services: CommandServices,
  context: CommandContext,
  source: string,
  link: LinkType,
  target: string,
  confidence: number,
): Promise<MemoryResult> {
  return changeLink(services, context, { type: 'link', source, target, link, confidence });
}

/** Removes a link; if there is none, nothing changes. */
export async function unlinkMemories(
  services: CommandServices,
  context: CommandContext,
  source: string,
  link: LinkType,
  target: string,
): Promise<MemoryResult> {
  return changeLink(services, context, { type: 'unlink', source, target, link });
}

async function changeLink(
  services: CommandServices,
  context: CommandContext,
  command: LinkCommand,
): Promise<MemoryResult> {
  const { source, target } = command;
  if (source === target) throw invalid('target', 'a memory cannot be linked to itself');
  const { snapshot, key } = await loadVisibleMemory(services, context, source);
  assertWritable(context, snapshot);
  assertNotWithheld(snapshot);
  const refusal = await loadVisibleMemory(services, context, target).then(
    () => undefined,
    (error: unknown) => error,
  );
  const changed = await changeStream<LinkEvent>(services, context, {
    stream: linksStream(context.caller.tenant, source),
    memoryId: source,
    seen: snapshot.position,
    decide: (loaded) => {
      assertNotDeleted(snapshot);
      if (refusal !== undefined) throw refusal;
      return decideLink(
        command,
        foldLinks(
          noLinks,
          loaded.map(({ event }) => event),
        ),
      );
    },
    key: () => key,
  });
  const { position, replayed, isUnchanged } = changed;
  return {
    snapshot: await snapshotAt(services, context, source, position),
    position,
    replayed,
    isUnchanged,
  };
}

/** The memory as it was when the link was made, so that a repetition of the command returns the same. */
async function snapshotAt(
  services: CommandServices,
  context: CommandContext,
  memoryId: string,
  position: number,
): Promise<LiveSnapshot> {
  const { history } = await loadVisibleMemory(services, context, memoryId);
  const snapshot = foldMemory(history.filter((event) => event.position <= position));
  if (!isLive(snapshot)) throw unknownMemory();
  return snapshot;
}
