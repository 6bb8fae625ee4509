import { z } from 'zod';

/** Why a question was asked of these spaces: `unsure` narrows to none. */
export const spaceChoiceReasons = ['hint', 'similar', 'unsure'] as const;

/** The spaces that were chosen for a question with `spaces: "auto"`; none where all are searched. */
export const spaceChoiceSchema = z.object({
  chosen: z.array(z.string()),
  because: z.enum(spaceChoiceReasons),
});

export type SpaceChoice = z.infer<typeof spaceChoiceSchema>;
