import type { TenantContext } from '../domain/access/context.ts';
import { isWritable } from '../domain/access/visibility.ts';
import { requiresAuditRecord } from '../domain/access/audited-reads.ts';
import type { Conflict, ConflictKind } from '../domain/consistency/conflicts.ts';
import { Problem } from '../domain/problems.ts';
import { isWithheld } from '../domain/trust/trust.ts';
import { loadVisibleMemory, type MemoryResult } from './change-memory.ts';
import type { CommandContext, CommandServices } from './context.ts';
import type { StoreResult } from './create-memory.ts';
import { linkMemories } from './link-memories.ts';
import { recordAuditRead } from './record-audit-read.ts';
import { runOnce } from './run-once.ts';
import type { ConflictMode } from './store-memory.ts';

/** Minimum confidence of a conflict that is resolved by a link. */
export const minConfidence = 0.8;

/** Finds conflicts of a stored memory. An interface, because it is a query and commands may not import queries. */
export interface ConflictFinder {
  /** Compares what was stored up to the position `upTo`; with `byWords` with what shares words, which takes no embedding. */
  find(
    caller: TenantContext,
    stored: StoredValue,
    upTo: number,
    options?: { readonly byWords?: boolean },
  ): Promise<{ readonly conflicts: readonly Conflict[]; readonly isComplete: boolean }>;
  /** Compares again with memories that were found before. */
  judge(caller: TenantContext, stored: StoredValue, ids: readonly string[]): Promise<readonly Conflict[]>;
}

export type StoredValue = MemoryResult['snapshot']['state']['value'] & { readonly updatedAt: string };

export interface ReportedConflict {
  readonly id: string;
  readonly kind: ConflictKind;
  readonly reason: string;
  readonly confidence: number;
}

interface ConflictReport {
  readonly conflicts: readonly ReportedConflict[];
  /** False if not all memories could be compared. */
  readonly isComplete: boolean;
  /** Position of the last link that was written; 0 if none was. */
  readonly position: number;
}

/** What the conflicts of a memory add to the answer of the command that stored it. */
export interface ConflictAnswer {
  /** Absent unless the caller asks for them. */
  readonly conflicts?: readonly ReportedConflict[];
  readonly warnings?: readonly { readonly code: 'conflicts-incomplete'; readonly detail: string }[];
  /** Covers the memory and the links that were written. */
  readonly position: number;
}

interface ConflictRequest {
  /** Undefined if conflicts are not part of the answer. */
  readonly mode: ConflictMode | undefined;
  /** Position up to which memories are compared. */
  readonly upTo: number;
  readonly finder: ConflictFinder;
}

/**
 * Finds and resolves the conflicts of a memory that has been stored, for any command that stores. The memory is stored
 * whatever happens here: a failure is explained and becomes a warning.
 */
export async function answerConflicts(
  services: CommandServices,
  context: CommandContext,
  result: StoreResult,
  { explain, ...request }: ConflictRequest & { readonly explain: (error: unknown) => Problem },
): Promise<ConflictAnswer> {
  const { position } = result;
  if (!isAnswered(request.mode)) return { position };
  // It was compared when it was stored.
  if (result.affirmed) return { conflicts: [], position };
  // It says nothing about other memories before it is approved.
  if (isWithheld(result.snapshot.state.value)) return { conflicts: [], position };
  try {
    const report = await resolveConflicts(services, context, result, request);
    return {
      conflicts: report.conflicts,
      ...(!report.isComplete && { warnings: [incomplete('some memories could not be compared in time')] }),
      position: Math.max(position, report.position),
    };
  } catch (error) {
    return { conflicts: [], warnings: [incomplete(explain(error).message)], position };
  }
}

/** Whether the answer to a store lists its conflicts. */
export function isAnswered(mode: ConflictMode | undefined): boolean {
  return mode !== undefined && mode !== 'ignore';
}

function incomplete(detail: string) {
  return { code: 'conflicts-incomplete' as const, detail };
}

/** The recorded part of a report. Reasons quote memories, so they are not recorded but made again for each caller. */
type RecordedReport = {
  readonly conflicts: { readonly id: string; readonly kind: ConflictKind }[];
  readonly isComplete: boolean;
  readonly position: number;
};

/**
 * The conflicts of a memory that was stored or replaced. With `supersede` it is linked to each that it replaces, if the caller
 * may write that one too and the confidence is high enough. A repetition under the same idempotency key answers the same ids and
 * kinds.
 */
async function resolveConflicts(
  services: CommandServices,
  context: CommandContext,
  { snapshot }: Pick<MemoryResult, 'snapshot'>,
  { mode, upTo, finder }: ConflictRequest,
): Promise<ConflictReport> {
  const stored = { ...snapshot.state.value, updatedAt: snapshot.updatedAt.toISOString() };
  let judged: ReadonlyMap<string, Conflict> | undefined;
  const run = async (): Promise<RecordedReport> => {
    const { conflicts, isComplete } = await finder.find(context.caller, stored, upTo);
    judged = new Map(conflicts.map((conflict) => [conflict.id, conflict]));
    let last = 0;
    const kept: { id: string; kind: ConflictKind }[] = [];
    for (const conflict of conflicts) {
      const outcome = await resolve(services, context, stored, { conflict, mode });
      if (!outcome) continue;
      last = Math.max(last, outcome.position);
      kept.push({ id: conflict.id, kind: outcome.kind });
    }
    return { conflicts: kept, isComplete, position: last };
  };
  const { answer } = await runOnce(services, context, run, 'conflicts');
  const { conflicts, isComplete, position } = answer;
  judged ??= new Map(
    (
      await finder.judge(
        context.caller,
        stored,
        conflicts.map(({ id }) => id),
      )
    ).map((conflict) => [conflict.id, conflict]),
  );
  if (conflicts.length > 0 && requiresAuditRecord(context.caller, [stored]))
    await recordAuditRead(services, context, {
      what: 'memory conflicts',
      memoryId: stored.id,
      items: conflicts.length,
    });
  const reported = conflicts.map(({ id, kind }): ReportedConflict => {
    const { reason = 'the memory is no longer there, or says something else now', confidence = 0 } =
      judged!.get(id) ?? {};
    return { id, kind, reason, confidence };
  });
  return { conflicts: reported, isComplete, position };
}

/** Links the memories if the mode asks for it. Returns undefined if the other memory was deleted or erased meanwhile. */
async function resolve(
  services: CommandServices,
  context: CommandContext,
  stored: StoredValue,
  { conflict, mode }: { readonly conflict: Conflict; readonly mode: ConflictMode | undefined },
): Promise<{ readonly kind: ConflictKind; readonly position: number } | undefined> {
  try {
    const { snapshot } = await loadVisibleMemory(services, context, conflict.id);
    if (snapshot.state.status !== 'active' || isWithheld(snapshot.state.value)) return undefined;
    const { kind, confidence, isOutdated } = conflict;
    const isResolved =
      mode === 'supersede' &&
      confidence >= minConfidence &&
      !isOutdated &&
      isWritable(context.caller, snapshot.state.value);
    if (!isResolved) return { kind, position: 0 };
    const { position } = await linkMemories(
      services,
      linkContext(context),
      stored.id,
      'supersedes',
      conflict.id,
      confidence,
    );
    return { kind: kind === 'duplicates' ? kind : 'supersedes', position };
  } catch (error) {
    if (error instanceof Problem && ['not-found', 'memory-deleted'].includes(error.code)) return undefined;
    throw error;
  }
}

/** The link has no idempotency key of its own, because it is part of the store command. Its reason says why it was made. */
function linkContext({ idempotency: _, reason, ...context }: CommandContext): CommandContext {
  return { ...context, reason: reason ?? 'onConflict: supersede' };
}
