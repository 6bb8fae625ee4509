import { z } from 'zod';
import { layers, type Layer } from '../layers.ts';
import { depths, depthSchema } from './depths.ts';

const day = 86_400;
const year = 365 * day;

/** Name and version of the extractive summarizer. A summarizer that writes different summaries of the same memories needs a new name. */
export const extractive = 'extractive-1';

/** When and how the summaries of one layer are generated. */
export const summarySettingsSchema = z
  .strictObject({
    depths: z
      .array(depthSchema)
      .min(1)
      .max(depths.length)
      .refine((all) => new Set(all).size === all.length, 'names a depth twice')
      .meta({ description: 'Depths at which summaries are generated' }),
    updateIntervalSeconds: z.int().min(60).max(year).optional().meta({
      description: 'Summaries are generated again after this many seconds; absent: not by time',
    }),
    updateOnChanges: z.int().min(1).max(1_000_000).optional().meta({
      description:
        'Summaries are generated again after this many changes of memories; absent: not by changes',
    }),
    skipIfUnchanged: z
      .boolean()
      .meta({ description: 'Whether nothing is generated while the memories of the scope are unchanged' }),
    personalized: z.boolean().optional().meta({
      description:
        'Whether users get variants that give more weight to their own memories and judgements; only in the layers project, team, org and company. Absent: no',
    }),
    maxAgeSeconds: z.int().min(60).max(year).optional().meta({
      description:
        'A summary older than this is stale even if no memory has changed; absent: age does not matter',
    }),
    model: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .meta({
        description: `Language model that writes the summaries, by its name at the configured endpoint; ${extractive}: none. Absent: the configured one, if any`,
      }),
  })
  .meta({ id: 'SummarySettings' });

export type SummarySettings = z.infer<typeof summarySettingsSchema>;

/** Summaries of sessions and agents are generated when a context needs them. */
export function defaultSummarySettings(layer: Layer): SummarySettings {
  const common = { depths: [...depths], skipIfUnchanged: true };
  if (layer === 'session' || layer === 'agent') return common;
  return { ...common, updateOnChanges: 20, updateIntervalSeconds: 7 * day };
}

/** The settings of every layer. */
export type SettingsByLayer = Readonly<Record<Layer, SummarySettings>>;

/** The settings of a tenant, from the events of its settings in order. */
export function settingsByLayer(
  configured: readonly { readonly layer: Layer; readonly settings: SummarySettings }[],
): SettingsByLayer {
  const latest = new Map(configured.map(({ layer, settings }) => [layer, settings]));
  return Object.fromEntries(
    layers.map((layer) => [layer, latest.get(layer) ?? defaultSummarySettings(layer)]),
  ) as Record<Layer, SummarySettings>;
}
