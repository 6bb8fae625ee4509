import { z } from 'zod';
import { runOnce } from '../../commands/run-once.ts';
import { invalid, Problem } from '../../domain/problems.ts';
import {
  EmbedderUnavailable,
  WrongDimension,
  type Embedders,
  type RegisteredModel,
} from '../../ports/embedder.ts';
import { operation } from '../operation.ts';
import { queryText } from '../search/fields.ts';
import { rebuildAnswerExample, rebuildExample } from './examples.ts';
import { headOf, operatorContext, projectionPath } from './projection-command.ts';
import { projectionOperators } from './roles.ts';

const rebuildInput = z.strictObject({
  embedder: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .meta({ description: 'Name or id of a registered embedding model; only for `vectors`' }),
  queries: z.array(queryText).min(1).max(1_000).optional().meta({
    description:
      "Questions by which both models are compared in the caller's tenant. Default: recently recorded searches",
  }),
});

export const rebuildProjection = operation({
  name: 'rebuildProjection',
  summary: 'Rebuild a read model next to the live one; vectors optionally with another embedding model',
  area: 'Administration',
  input: rebuildInput.extend({ name: z.string() }),
  output: z.object({ projection: z.string(), generation: z.int(), position: z.string() }),
  examples: { input: { name: 'vectors', ...rebuildExample }, output: rebuildAnswerExample },
  access: projectionOperators,
  command: { scope: ({ name }) => projectionPath(name, 'rebuild'), arguments: rebuildInput },
  async handle(call) {
    const { caller, context, services } = call;
    const { operations, embedders } = services;
    const { name, embedder, queries } = call.input;
    if (name !== 'vectors' && embedder !== undefined) throw invalid('embedder', 'is for vectors only');
    if (embedder === undefined && queries) throw invalid('queries', 'needs an embedder');
    const model = embedder === undefined ? undefined : modelOf(embedders, embedder);
    const { answer, replayed } = await runOnce(services.commands, context, async () => {
      const operator = operatorContext(call);
      let generation = await operations.begun(name, operator);
      if (generation === undefined) {
        if (model) await assertAnswers(embedders, model);
        const options = {
          ...(model && { variant: model.id }),
          ...(queries && { queries: queries.map((query) => ({ tenant: caller.tenant, query })) }),
        };
        ({ generation } = await operations.rebuild(name, operator, options));
      }
      return { projection: name, generation, position: await headOf(call) };
    });
    return { output: answer, replayed };
  },
});

function modelOf(embedders: Embedders, named: string): RegisteredModel {
  const model = embedders.find(named);
  if (model) return model;
  const known = embedders.models.map(({ name }) => name).join(', ');
  throw invalid('embedder', `is not registered; registered are ${known}`);
}

/** Called before anything is built, so that a model that cannot embed is refused at once. */
async function assertAnswers(embedders: Embedders, { id, name }: RegisteredModel): Promise<void> {
  try {
    await embedders.probe(id);
  } catch (error) {
    const reason = `${name} cannot embed: ${error instanceof Error ? error.message : String(error)}`;
    if (error instanceof EmbedderUnavailable && !(error instanceof WrongDimension))
      throw new Problem('unavailable', reason, { retryAfter: 5, cause: error });
    throw invalid('embedder', reason);
  }
}
