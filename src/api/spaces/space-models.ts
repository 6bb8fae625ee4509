import { invalid } from '../../domain/problems.ts';
import type { SpaceConfig } from '../../domain/spaces/space-config.ts';
import type { Call } from '../operation.ts';
import type { Services } from '../services.ts';

export const modelFields = ['embeddingModel', 'llmModel'] as const;
export type ModelField = (typeof modelFields)[number];

type Models = Pick<Services, 'embedders' | 'languageModels'>;
type Named = Readonly<Partial<Record<ModelField, unknown>>>;

/** The fields that name a model which the server does not have: what they decide is decided by the models of the server. */
export function missingModels(models: Models, named: Named): ModelField[] {
  return modelFields.filter((field) => typeof named[field] === 'string' && !has(models, field, named[field]));
}

/**
 * Throws if `named` has a model that the server does not have, or cannot load. A space keeps the one that it has, which may be from a
 * preset, or from a time when the server had it.
 */
export async function assertModels(
  { caller, services }: Call<unknown>,
  spaceId: string,
  named: Named,
): Promise<void> {
  if (modelFields.every((field) => typeof named[field] !== 'string')) return;
  const { configured } = await services.commands.spaces.current(caller.tenant);
  const config: SpaceConfig | undefined = configured.get(spaceId)?.config;
  for (const field of modelFields) {
    const name = named[field];
    if (typeof name === 'string' && name !== config?.[field]) await assertModel(services, field, name);
  }
}

async function assertModel(services: Services, field: ModelField, name: string): Promise<void> {
  if (!has(services, field, name)) {
    const allowed = namesOf(services, field).join(', ');
    throw invalid(
      field,
      allowed === ''
        ? 'names a model, and the server has no language model: leave it out'
        : `names no model of the server; it has ${allowed} (GET /v1/models)`,
    );
  }
  const model = field === 'embeddingModel' ? services.embedders.find(name) : undefined;
  // An endpoint may be down just now; files that are not there stay away.
  if (!model || model.endpointModel !== undefined) return;
  await services.embedders.load(model.id).catch((error: unknown) => {
    throw invalid(field, `names a model that cannot be loaded: ${(error as Error).message}`);
  });
}

function has(models: Models, field: ModelField, name: string): boolean {
  return field === 'embeddingModel'
    ? models.embedders.find(name) !== undefined
    : namesOf(models, field).includes(name);
}

function namesOf({ embedders, languageModels }: Models, field: ModelField): readonly string[] {
  return field === 'embeddingModel'
    ? embedders.models.map(({ name }) => name)
    : languageModels.map(({ id }) => id);
}
