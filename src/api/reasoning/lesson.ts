import { z } from 'zod';
import { fallbacks } from '../../domain/grounding/fallback.ts';
import { rules } from '../../domain/experience/lessons.ts';
import { layerSchema, scopeSchema } from '../../domain/layers.ts';

/** Maximum number of lessons beside a history. */
export const maxLessons = 10;

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
    model: z.string().meta({ description: `The language model that wrote it; \`${rules}\` if none did` }),
    fallback: z.enum(fallbacks).optional().meta({
      description: 'Why no language model wrote it, although one is configured',
    }),
    sources: z
      .array(z.string())
      .readonly()
      .meta({ description: 'Ids of the traces that its marks name; the first is `[1]`. Rules set no marks' }),
    layer: layerSchema,
    scope: z.object(scopeSchema.shape),
    revisedAt: z.iso.datetime(),
  })
  .meta({ id: 'Lesson' });
