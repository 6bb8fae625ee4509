import { z } from 'zod';

/** Whether searches with experience learn from earlier ones. */
export const experienceSettingsSchema = z
  .strictObject({
    enabled: z.boolean().meta({
      description: 'Whether searches with experience apply what worked before. Default: true',
    }),
    share: z.number().min(0).max(1).meta({
      description:
        'Share of the sessions that experience is applied to, 0 to 1; the others are the comparison. Default: 1',
    }),
    exploration: z.boolean().meta({
      description:
        'Whether a few searches of sessions try other parameters, so that the program learns of better ones. Default: true',
    }),
  })
  .meta({ id: 'ExperienceSettings' });

export type ExperienceSettings = z.infer<typeof experienceSettingsSchema>;

export const defaultExperience: ExperienceSettings = { enabled: true, share: 1, exploration: true };
