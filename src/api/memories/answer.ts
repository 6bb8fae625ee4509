import { z } from 'zod';
import type { MemoryResult } from '../../commands/change-memory.ts';
import { runOnce } from '../../commands/run-once.ts';
import { memorySchema, noAccess, viewOf, type Counters, type MemoryView } from '../../domain/memory/view.ts';
import { readCounters } from '../../queries/get-memory.ts';
import { positionField } from '../fields.ts';
import type { AuditRule, Call, Outcome } from '../operation.ts';

/** A command's answer about a memory: the memory as the command left it, and the position of its event. */
export interface MemoryAnswer {
  readonly memory: MemoryView;
  readonly position: string;
}

export const memoryAnswerSchema = z
  .object({ memory: memorySchema, position: positionField })
  .meta({ id: 'MemoryAnswer' });

/** A command that changed nothing only read the memory. */
export const auditOfUnchanged: AuditRule = { what: 'memory', when: 'watched' };

export async function memoryOutcome(
  call: Call<unknown>,
  { snapshot, position, replayed, isUnchanged }: MemoryResult,
  { isNew = false }: { readonly isNew?: boolean } = {},
): Promise<Outcome<MemoryAnswer>> {
  // A memory that was just stored has not been read.
  const counters = isNew ? noAccess : await firstCounters(call, snapshot.state.value.id);
  const memory = viewOf(call.caller.tenant, snapshot, counters);
  return {
    output: { memory, position: call.token(position) },
    replayed,
    ...(isUnchanged && { read: { memoryId: memory.id, items: 1, memories: [memory] } }),
  };
}

/** The counters now; in a repetition, those of the first answer. */
async function firstCounters(
  { caller, context, services }: Call<unknown>,
  memoryId: string,
): Promise<Counters> {
  const { commands, models } = services;
  const count = () => readCounters(models, caller, memoryId);
  // An answer of an earlier version has neither feedback nor importance.
  return { ...noAccess, ...(await runOnce(commands, context, count, 'counters')).answer };
}
