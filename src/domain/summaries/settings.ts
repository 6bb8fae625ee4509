import { z } from 'zod';
import type { Layer } from '../layers.ts';
import { depths, depthSchema } from './depths.ts';

const day = 86_400;
const year = 365 * day;

/** Name and version of the extractive summarizer. A version that writes other summaries of the same memories needs a new name. */
export const extractive = 'extractive-1';

/** When and how the summaries of one layer are made. */
export const summarySettingsSchema = z
  .strictObject({
    depths: z
      .array(depthSchema)
      .min(1)
      .max(depths.length)
      .refine((all) => new Set(all).size === all.length, 'names a depth twice')
      .meta({ description: 'Which summaries are made' }),
    updateIntervalSeconds: z.int().min(60).max(year).optional().meta({
      description: 'Made anew this long after the last time; absent: not by time',
    }),
    updateOnChanges: z.int().min(1).max(1_000_000).optional().meta({
      description: 'Made anew after this many changes of memories; absent: not by changes',
    }),
    skipIfUnchanged: z.boolean().meta({ description: 'Not made anew while the scope holds the same' }),
    personalized: z.boolean().optional().meta({
      description:
        'Variants for single users, weighed by what is theirs; only of the layers project, team, org and company. Absent: none',
    }),
    maxAgeSeconds: z.int().min(60).max(year).optional().meta({
      description: 'An older summary is stale, whatever the scope holds; absent: none is too old',
    }),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        description: `Language model that writes them, by its name at the configured endpoint; ${extractive}: none. Absent: the configured one, if any`,
      }),
  })
  .meta({ id: 'SummarySettings' });

export type SummarySettings = z.infer<typeof summarySettingsSchema>;

/** Summaries of sessions and agents are made when a context needs them. */
export function defaultSummarySettings(layer: Layer): SummarySettings {
  const common = { depths: [...depths], skipIfUnchanged: true };
  if (layer === 'session' || layer === 'agent') return common;
  return { ...common, updateOnChanges: 20, updateIntervalSeconds: 7 * day };
}
