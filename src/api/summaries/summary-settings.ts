import { z } from 'zod';
import { readSummarySettings } from '../../commands/summaries/configure-summaries.ts';
import { layerSchema } from '../../domain/layers.ts';
import { summarySettingsSchema } from '../../domain/summaries/settings.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { settingsExample } from './examples.ts';

export const summarySettings = operation({
  name: 'summarySettings',
  summary: 'Show when and how the summaries of a layer are made',
  area: 'Administration',
  input: z.strictObject({ layer: layerSchema, ...waitFields }),
  output: z.object({ layer: layerSchema, settings: summarySettingsSchema }),
  examples: { input: { layer: 'team' }, output: { layer: 'team', settings: settingsExample } },
  access: {
    roles: ['operator', 'auditor', 'admin'],
    refusal: 'the settings of summaries need the role operator, auditor or admin',
  },
  reads: 'log',
  async handle({ caller, input: { layer }, services }) {
    const settings = await readSummarySettings(services.commands.store, caller.tenant);
    return { output: { layer, settings: settings[layer] } };
  },
});
