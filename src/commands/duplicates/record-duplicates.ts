import { decideFound, decideWithdrawal, foldCluster } from '../../domain/duplicates/cluster.ts';
import type { DuplicateEvent, DuplicateFound } from '../../domain/duplicates/events.ts';
import type { EventOf } from '../../domain/events/define.ts';
import { duplicatesStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import type { CommandContext, CommandServices } from '../context.ts';

/** Adds a memory to a cluster, or begins the cluster. Returns the position; repeated, it changes nothing. */
export async function recordDuplicate(
  services: CommandServices,
  context: CommandContext,
  found: EventOf<typeof DuplicateFound>['data'],
): Promise<number> {
  const { position } = await changeStream<DuplicateEvent>(services, context, {
    stream: duplicatesStream(context.caller.tenant, found.clusterId),
    memoryId: found.memoryId,
    decide: (loaded) => decideFound(foldCluster(loaded.map(({ event }) => event)), found),
  });
  return position;
}

/** Takes a memory out of a cluster, because its text has changed. */
export async function withdrawDuplicate(
  services: CommandServices,
  context: CommandContext,
  clusterId: string,
  memoryId: string,
): Promise<number> {
  const { position } = await changeStream<DuplicateEvent>(services, context, {
    stream: duplicatesStream(context.caller.tenant, clusterId),
    memoryId,
    decide: (loaded) => decideWithdrawal(foldCluster(loaded.map(({ event }) => event)), memoryId),
  });
  return position;
}
