import { z } from 'zod';
import { configureSummaries as configure } from '../../commands/summaries/configure-summaries.ts';
import { layerSchema } from '../../domain/layers.ts';
import { summarySettingsSchema } from '../../domain/summaries/settings.ts';
import { positionField } from '../fields.ts';
import { operation, type RoleAccess } from '../operation.ts';
import { configuredExample, settingsExample } from './examples.ts';

const summaryOperators: RoleAccess = {
  roles: ['operator', 'admin'],
  refusal: 'configuring summaries needs the role operator or admin',
};

export const configureSummaries = operation({
  name: 'configureSummaries',
  summary: 'Set when and how the summaries of a layer are made; settings that are left out are switched off',
  area: 'Administration',
  input: z.strictObject({ layer: layerSchema, ...summarySettingsSchema.shape }),
  output: z.object({ layer: layerSchema, settings: summarySettingsSchema, position: positionField }),
  examples: { input: { layer: 'team', ...settingsExample }, output: configuredExample },
  access: summaryOperators,
  command: {
    scope: ({ layer }) => ['PUT', `/v1/admin/summaries/${layer}`],
    arguments: summarySettingsSchema,
  },
  async handle({ context, input: { layer, ...wanted }, services, token }) {
    const { settings, position, replayed } = await configure(services.commands, context, layer, wanted);
    return { output: { layer, settings, position: token(position) }, replayed };
  },
});
