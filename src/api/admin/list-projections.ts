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
  signature: z
    .string()
    .meta({ description: 'Version of the projection and of everything else that its rows depend on' }),
  active: z.boolean().meta({ description: 'Whether queries read this generation' }),
  lock: z
    .enum(['here', 'elsewhere', 'free'])
    .meta({ description: 'Which process applies new events to it: this one, another one, or none' }),
  position: z
    .int()
    .meta({ description: 'Checkpoint: last position of the log that the generation includes' }),
  partitions: z
    .array(z.object({ partition: z.string(), position: z.int() }))
    .optional()
    .meta({ description: 'Checkpoint of each partition, if the log has several' }),
  lag: z.int().meta({
    description:
      'Number of log positions that are not applied yet; 0 means up to date. A position is an event in the profiles embedded and postgres, and a byte of the log in the profile cluster',
  }),
  digest: z.string().optional(),
  equal: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the digest equals that of the live generation at the same checkpoint' }),
  comparison: modelComparison.optional().meta({
    description:
      'Comparison of the answers of both models, if the vectors are from another model than the live ones',
  }),
  error: z.string().optional().meta({
    description: 'Why the generation failed or was not compared, or why its build is stalled',
  }),
  failingSince: z.iso
    .datetime()
    .optional()
    .meta({ description: 'Time since which `error` has stalled the build' }),
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
      .meta({
        description:
          'Streams that are held back because a generation, live or not, cannot apply one of their events. In `vectors` also memories whose text the embedding model does not take; nothing else of these waits',
      }),
    rebuilding: z
      .object({ projection: z.string(), generation: z.int(), position: z.int(), head: z.int() })
      .optional(),
  })
  .meta({ id: 'Projection' });

const reactorStatus = z
  .object({
    name: z.string(),
    lock: z.enum(['here', 'elsewhere', 'free']).meta({
      description: 'Which process runs it: this one, another one, or none',
    }),
    position: z.int().meta({
      description:
        'Last position of the log that it has handled; of one in another process up to ten seconds old',
    }),
    lag: z.int().meta({ description: 'Number of log positions that it has not handled yet' }),
    error: z.string().optional().meta({ description: 'Why it is failing in this process' }),
    parked: z
      .array(z.object({ stream: z.string(), position: z.int(), type: z.string(), error: z.string() }))
      .meta({
        description:
          'Streams that are held back because it cannot handle one of their events; it tries again by itself every 30 s',
      }),
  })
  .meta({ id: 'Reactor' });

export const listProjections = operation({
  name: 'listProjections',
  summary:
    'List all read models with their generations, positions and parked streams, and the reactors that work by themselves on what happens',
  area: 'Administration',
  input: z.strictObject(waitFields),
  output: z.object({ items: z.array(projectionStatus), reactors: z.array(reactorStatus) }),
  examples: { input: {}, output: projectionsExample },
  access: projectionOperators,
  reads: 'log',
  // In the background, so that watching a rebuild does not delay it.
  handle: ({ services: { operations } }) =>
    inBackground(async () => ({
      output: { items: await operations.status(), reactors: await operations.reactors() },
    })),
});
