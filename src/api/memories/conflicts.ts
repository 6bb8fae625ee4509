import { z } from 'zod';
import type { StoreResult } from '../../commands/create-memory.ts';
import { answerConflicts, isAnswered, type ConflictAnswer } from '../../commands/resolve-conflicts.ts';
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
  conflicts: conflictsSchema.optional().meta({
    description:
      'Conflicting memories, most certain first; absent unless `onConflict` is `report` or `supersede`',
  }),
  warnings: z
    .array(z.object({ code: z.literal('conflicts-incomplete'), detail: z.string() }))
    .optional()
    .meta({ description: 'Present if conflicts may be missing' }),
};

/** Field of the answer for a memory, or a line, that said nothing new. */
export const duplicateField = {
  duplicate: z.literal(true).optional().meta({
    description: 'Present if a memory said the same already: that one is answered, and counts as told again',
  }),
};

export const storedAnswerSchema = memoryAnswerSchema
  .extend({ ...duplicateField, ...conflictFields })
  .meta({ id: 'StoredAnswer' });

/** The head of the log when a command arrives: conflicts are looked for up to there. 0 if the caller asks for none. */
export async function arrivalOf(
  { commands }: Pick<Services, 'commands'>,
  mode: ConflictMode | undefined,
): Promise<number> {
  return isAnswered(mode) ? commands.store.log.head() : 0;
}

type StoredAnswer = MemoryAnswer & Omit<ConflictAnswer, 'position'> & { readonly duplicate?: true };

/** The outcome of a command that stored or replaced one memory. */
export async function storedOutcome(
  call: Call<{ readonly onConflict?: ConflictMode | undefined }>,
  result: StoreResult,
  { isNew, upTo }: { readonly isNew: boolean; readonly upTo: number },
): Promise<Outcome<StoredAnswer>> {
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
  const { memory } = outcome.output;
  const { affirmed } = result;
  return {
    ...outcome,
    isNew,
    output: {
      memory: { ...memory, ...affirmed },
      position: token(position),
      ...(affirmed && { duplicate: true }),
      ...found,
    },
  };
}
