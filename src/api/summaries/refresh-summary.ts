import { z } from 'zod';
import { requestSummary } from '../../commands/summaries/request-summary.ts';
import { identifier, layerSchema, scopeSchema } from '../../domain/layers.ts';
import type { Amount } from '../../domain/ledger/budget.ts';
import { mostTokens } from '../../domain/summaries/abstract/prompt.ts';
import { depths, depthSchema, type Depth } from '../../domain/summaries/depths.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { personOf } from './person.ts';
import { refreshedExample, refreshExample } from './examples.ts';
import { writers } from '../memories/roles.ts';

/** What a call for the shortest memories reserves. The price depends on the model, which is chosen when the call is made. */
function leastCost(depths: readonly Depth[]): Amount {
  const { inputTokens, outputTokens } = mostTokens(depths, 0);
  return { tokens: inputTokens + outputTokens, usd: 0 };
}

export const refreshSummary = operation({
  name: 'refreshSummary',
  summary: 'Regenerate the summaries of a scope',
  area: 'Summaries',
  input: z
    .strictObject({
      layer: layerSchema,
      scope: scopeSchema.default({}).meta({
        description:
          'Identifier of the layer. For sessions and agents also the user, by default the user of the caller',
      }),
      user: identifier.optional().meta({
        description:
          'Make the summaries that are personalised for this user, instead of those for everybody. The settings of the layer must allow it',
      }),
      session: identifier.optional().meta({
        description: 'Those for one session of the user. Default of `user`: the user of the caller',
      }),
      depths: z.array(depthSchema).min(1).max(depths.length).optional().meta({
        description: 'Depths of the summaries to generate. Default: those in the settings of the layer',
      }),
    })
    .meta({ id: 'RefreshSummary' }),
  output: z.object({ layer: layerSchema, scope: scopeSchema, position: positionField }),
  examples: { input: refreshExample, output: refreshedExample },
  access: 'every-caller',
  serves: writers.roles,
  command: { scope: () => ['POST', '/v1/summaries/refresh'] },
  async handle({ caller, context, input, services, token }) {
    const { layer, scope, depths: wanted } = input;
    const inOrder = wanted && depths.filter((depth) => wanted.includes(depth));
    const { commands, ledger, summariesCost } = services;
    const person = personOf(caller, input);
    const request = { layer, scope, person, depths: inOrder };
    // No language model writes variants for single users.
    const isCharged = summariesCost && person === undefined;
    const requested = await requestSummary(commands, context, request, async (depths) =>
      isCharged ? ledger.refusal(context, 'summary', leastCost(depths)) : undefined,
    );
    const { position, replayed } = requested;
    return {
      output: { layer, scope: requested.scope, position: token(position) },
      replayed,
    };
  },
});
