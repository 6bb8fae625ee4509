import { z } from 'zod';
import type { MemoryResult } from '../../commands/change-memory.ts';
import { answerConflicts, type ConflictAnswer } from '../../commands/resolve-conflicts.ts';
import type { ConflictMode } from '../../commands/store-memory.ts';
import { conflictKinds } from '../../domain/consistency/conflicts.ts';
import type { Call, Outcome } from '../operation.ts';
import type { Services } from '../services.ts';
import { memoryAnswerSchema, memoryOutcome, type MemoryAnswer } from './answer.ts';

const conflictsSchema = z.array(
  z
    .object({
      id: z.string(),
      kind: z.enum(conflictKinds).meta({ description: 'Relation of the stored memory to this one' }),
      reason: z.string(),
      confidence: z.number().meta({ description: 'Certainty of the finding, 0 to 1' }),
    })
    .meta({ id: 'Conflict' }),
);

/** Fields of the answer to a command that stores a memory, with `onConflict`. */
export const conflictFields = {
  conflicts: conflictsSchema
    .optional()
    .meta({ description: 'Conflicting memories, most certain first; absent if `onConflict` is `ignore`' }),
  warnings: z
    .array(z.object({ code: z.literal('conflicts-incomplete'), detail: z.string() }))
    .optional()
    .meta({ description: 'Present if conflicts may be missing' }),
};

export const storedAnswerSchema = memoryAnswerSchema.extend(conflictFields).meta({ id: 'StoredAnswer' });

/** The head of the log when a command arrives: conflicts are looked for up to there. 0 if the caller asks for none. */
export async function arrivalOf(
  { commands }: Pick<Services, 'commands'>,
  mode: ConflictMode,
): Promise<number> {
  return mode === 'ignore' ? 0 : commands.store.log.head();
}

/** The outcome of a command that stored or replaced one memory. */
export async function storedOutcome(
  call: Call<{ readonly onConflict: ConflictMode }>,
  result: MemoryResult,
  { isNew, upTo }: { readonly isNew: boolean; readonly upTo: number },
): Promise<Outcome<MemoryAnswer & Omit<ConflictAnswer, 'position'>>> {
  const { services, context, input, explain, token } = call;
  const { commands, conflicts: finder } = services;
  const mode = input.onConflict;
  const { position, ...found } = await answerConflicts(commands, context, result, {
    mode,
    upTo,
    finder,
    explain,
  });
  const outcome = await memoryOutcome(call, result, { isNew });
  return { ...outcome, output: { ...outcome.output, ...found, position: token(position) } };
}
