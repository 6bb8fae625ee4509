import { z } from 'zod';
import { layerSchema, scopeSchema } from '../../domain/layers.ts';

/** Maximum number of lessons beside a history. */
export const mostLessons = 10;

export const lessonSchema = z
  .object({
    id: z.string(),
    title: z.string().meta({ description: 'Which questions it is about' }),
    description: z.string().meta({ description: 'What worked and what failed, in a sentence' }),
    content: z.string().meta({ description: 'What to do and what to avoid, one line each' }),
    support: z
      .int()
      .meta({ description: 'Number of attempts that succeeded by what it recommends; 0 if it only warns' }),
    failures: z.int().meta({ description: 'Number of attempts that failed by it' }),
    layer: layerSchema,
    scope: z.object(scopeSchema.shape),
    revisedAt: z.iso.datetime(),
  })
  .meta({ id: 'Lesson' });
