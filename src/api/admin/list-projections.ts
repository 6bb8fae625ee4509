import { z } from 'zod';
import { modelComparison } from '../../domain/retrieval/model-comparison.ts';
import { inBackground } from '../../support/background.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { projectionsExample } from './examples.ts';
import { projectionOperators } from './roles.ts';

const generationStatus = z.object({
  generation: z.int(),
  state: z.enum(['live', 'building', 'ready', 'standby', 'failed']),
  signature: z.string().meta({ description: 'Version of the projection and what else its rows depend on' }),
  active: z.boolean().meta({ description: 'Queries read it' }),
  lock: z.enum(['here', 'elsewhere', 'free']).meta({ description: 'Which process keeps it up with the log' }),
  position: z.int().meta({ description: 'Bookmark: the last position of the log that it includes' }),
  partitions: z
    .array(z.object({ partition: z.string(), position: z.int() }))
    .optional()
    .meta({ description: 'How far each partition of the log has come, where it has several' }),
  lag: z.int().meta({
    description:
      'Positions of the log that are not seen yet: 0 is up to date. A position is an event in the profiles embedded and postgres, a byte of the log in cluster',
  }),
  digest: z.string().optional(),
  equal: z.boolean().optional().meta({ description: 'To the live one, at the same bookmark' }),
  comparison: modelComparison.optional().meta({
    description: 'Of vectors of another model than the live ones: how the answers of both compare',
  }),
  error: z.string().optional().meta({
    description: 'Why it failed, was not compared, or, while it is being built, cannot go on now',
  }),
  failingSince: z.iso
    .datetime()
    .optional()
    .meta({ description: 'While it is being built: since when `error` keeps it from going on' }),
});

const projectionStatus = z
  .object({
    name: z.string(),
    generations: z.array(generationStatus),
    parked: z
      .array(
        z.object({
          generation: z.int(),
          stream: z.string(),
          position: z.int(),
          type: z.string(),
          error: z.string(),
        }),
      )
      .meta({ description: 'Streams that wait with an event which a generation, live or not, cannot apply' }),
    rebuilding: z
      .object({ projection: z.string(), generation: z.int(), position: z.int(), head: z.int() })
      .optional(),
  })
  .meta({ id: 'Projection' });

export const listProjections = operation({
  name: 'listProjections',
  summary: 'Every read model with its generations, how far each has come, and what is parked',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: z.object({ items: z.array(projectionStatus) }),
  examples: { input: {}, output: projectionsExample },
  access: projectionOperators,
  reads: 'log',
  // In the background, so that watching a rebuild does not delay it.
  handle: async ({ services }) => ({
    output: { items: await inBackground(() => services.operations.status()) },
  }),
});
