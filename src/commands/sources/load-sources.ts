import type { SourceConfigEvent, SourceRunEvent } from '../../domain/sources/events.ts';
import { foldSources, noSources, type SourceRun, type Sources } from '../../domain/sources/sources.ts';
import { sourceRunsStream, sourcesStream } from '../../domain/streams.ts';
import type { EventStore } from '../../ports/event-store.ts';
import { eventContext, tenantKey, type CommandContext, type CommandServices } from '../context.ts';

interface Stored {
  readonly store: EventStore;
}

/** The sources of a tenant, as the log has them now. */
export async function loadSources({ store }: Stored, tenant: string): Promise<Sources> {
  return foldSources(noSources, await store.load<SourceConfigEvent>(sourcesStream(tenant)));
}

/** The last run of a source, and its position in the log; it may be that of an earlier source with the same id. */
export async function lastRun(
  { store }: Stored,
  tenant: string,
  sourceId: string,
): Promise<{ readonly run: SourceRun; readonly position: number } | undefined> {
  const [last] = await store.loadLast<SourceRunEvent>(sourceRunsStream(tenant, sourceId), 1);
  return last && { run: last.event.data, position: last.position };
}

export async function recordRun(
  { store, vault }: CommandServices,
  context: CommandContext,
  run: SourceRun,
): Promise<void> {
  const { tenant } = context.caller;
  await store.append(
    sourceRunsStream(tenant, run.sourceId),
    'any',
    [{ type: 'SourceRan', data: run }],
    eventContext(context, tenantKey(vault, tenant)),
  );
}
