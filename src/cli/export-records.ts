import {
  isProblem,
  type AuditEvent,
  type LinkType,
  type RecordTrace,
  type Stratalog,
} from '../../packages/client/src/index.ts';
import { positionNumber, waitMs } from './log-head.ts';
import type { ExportRecord, Kind } from './transfer-records.ts';

/** What the lines of an export that are not memories are made from. */
export interface RecordSource {
  readonly client: Stratalog;
  /** Ids of the memories in the file. Nothing that names another memory is written. */
  readonly ids: ReadonlySet<string>;
  /** The head of the log when the export began. */
  readonly position: string | undefined;
  /** Whether the key may read the audit, which has all links, and alone has feedback and traces. */
  readonly mayAudit: boolean;
}

/** Kinds that only the audit tells. */
export const auditedKinds: readonly Kind[] = ['feedback', 'traces'];

/** Whether the key may read the audit. */
export async function mayReadAudit(client: Stratalog): Promise<boolean> {
  try {
    await client.audit.events({ limit: 1 });
    return true;
  } catch (error) {
    if (isProblem(error, 'forbidden')) return false;
    throw error;
  }
}

export const recordsOf: Record<Kind, (source: RecordSource) => AsyncGenerator<ExportRecord>> = {
  links: (source) => (source.mayAudit ? linksInAudit(source) : linksOfMemories(source)),
  feedback,
  traces,
  async *summaries({ client }) {
    for await (const summary of client.summaries.list()) yield { record: 'summary', summary };
  },
  async *history({ client, ids }) {
    for (const memory of ids) {
      for await (const version of client.memories.history(memory))
        yield { record: 'version', memory, version };
    }
  },
};

/** Events of these types up to the position of the export, without those whose content was erased. */
export async function* eventsUpTo(
  { client, position }: Pick<RecordSource, 'client' | 'position'>,
  type: NonNullable<Parameters<Stratalog['audit']['stream']>[0]>['type'],
): AsyncGenerator<AuditEvent> {
  const filter = position === undefined ? { type } : { type, minPosition: position, waitMs };
  for await (const event of client.audit.stream(filter)) {
    if (position !== undefined && positionNumber(event.position) > positionNumber(position)) return;
    if (event.erased !== true) yield event;
  }
}

interface Link {
  readonly source: string;
  readonly target: string;
  readonly type: LinkType;
  readonly confidence?: number;
}

async function* linksInAudit(source: RecordSource): AsyncGenerator<ExportRecord> {
  const links = new Map<string, Link>();
  for await (const { type: event, data } of eventsUpTo(source, ['MemoriesLinked', 'MemoriesUnlinked'])) {
    const { source: from, target, type, confidence } = data as unknown as Link;
    if (!source.ids.has(from) || !source.ids.has(target)) continue;
    const key = `${from} ${type} ${target}`;
    if (event === 'MemoriesUnlinked') links.delete(key);
    else links.set(key, { source: from, target, type, ...(confidence !== undefined && { confidence }) });
  }
  for (const link of links.values()) yield { record: 'link', ...link };
}

async function* linksOfMemories({ client, ids }: RecordSource): AsyncGenerator<ExportRecord> {
  for (const source of ids) {
    const { items } = await client.memories.related(source, { depth: 1 });
    for (const { memory, direction, type, confidence } of items) {
      if (direction === 'outgoing' && ids.has(memory.id))
        yield { record: 'link', source, target: memory.id, type, confidence };
    }
  }
}

async function* feedback(source: RecordSource): AsyncGenerator<ExportRecord> {
  for await (const { data } of eventsUpTo(source, ['FeedbackGiven'])) {
    const { memoryId, kind, note } = data as { memoryId: string; kind: string; note?: string };
    if (!source.ids.has(memoryId)) continue;
    yield { record: 'feedback', memory: memoryId, kind, ...(note !== undefined && { note }) };
  }
}

/** The attempts that callers recorded. Those that the server recorded of its own searches are left out. */
async function* traces(source: RecordSource): AsyncGenerator<ExportRecord> {
  for await (const { data } of eventsUpTo(source, ['ReasoningTraceRecorded'])) {
    const { memoryIds, helpfulIds, scope, ...event } = data as Omit<
      RecordTrace,
      'memoriesUsed' | 'memoriesHelpful'
    > & {
      readonly origin: string;
      readonly memoryIds: readonly string[];
      readonly helpfulIds?: readonly string[];
    };
    if (event.origin !== 'caller') continue;
    const { query, approach, strategy, outcome, failureReason, successFactors } = event;
    const { executionTimeMs, model, space, sessionId } = event;
    const known = (ids: readonly string[]) => ids.filter((id) => source.ids.has(id));
    const trace: RecordTrace = {
      query,
      approach,
      strategy,
      outcome,
      failureReason,
      successFactors,
      memoriesUsed: known(memoryIds),
      memoriesHelpful: helpfulIds && known(helpfulIds),
      executionTimeMs,
      model,
      scope,
      space,
      sessionId,
    };
    yield { record: 'trace', trace };
  }
}
