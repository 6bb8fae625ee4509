import path from 'node:path';
import { deterministicEmbedder } from '../adapters/deterministic/embedder.ts';
import { ModelRegistry, type ModelEntry } from '../adapters/embedding/model-registry.ts';
import { openOnnxEmbedder } from '../adapters/onnx/embedder.ts';
import { bgeSmall, e5Small, folderOf, multilingualE5Small, type OnnxModel } from '../adapters/onnx/models.ts';
import {
  dimensionIn,
  openAiModelId,
  openOpenAiEmbedder,
  type OpenAiEmbedderOptions,
} from '../adapters/openai/embedder.ts';
import { ConfigError, type Config } from '../config.ts';
import { vectorTable } from '../read-models/vectors/tables.ts';
import {
  EmbedderUnavailable,
  type Embedder,
  type Embedders,
  type OnEmbeddingRun,
} from '../ports/embedder.ts';
import { readRegistrations, type Registration } from './registered-models.ts';

interface Observed {
  readonly onRun?: OnEmbeddingRun | undefined;
}

type Models = Config['embeddingModels'] & Observed;
type Endpoint = Extract<Config['embedder'], { kind: 'openai' }> & Observed;

/** Ids of the models that made the existing vectors, the live one first. */
type SeenModels = () => Promise<readonly string[]>;

export interface EmbeddersOptions extends Observed {
  readonly seen?: SeenModels;
}

const noPrefix = { query: '', passage: '' };
const deterministicDimension = 384;
/** The model of a database that has no vectors yet. */
const newModel = multilingualE5Small;

/**
 * All models that are built in or registered by the configuration; loads the preferred one: the model that the configuration names,
 * otherwise that of the live vectors, and the multilingual one for a new database. Rejects with `ConfigError`,
 * or with the error that keeps the preferred model from loading. An endpoint may be unreachable if its dimension is
 * configured or its model is among those `seen` before.
 */
export async function openEmbedders(
  config: Config,
  { seen = () => Promise.resolve([]), onRun }: EmbeddersOptions = {},
): Promise<Embedders> {
  const { embedder, embeddingModels } = config;
  const models = { ...embeddingModels, onRun };
  const entries = [...knownModels(models), ...readRegistrations(models.registered).map(entryOf(models))];
  const named = embedder.kind === 'openai' ? await endpointEntry({ ...embedder, onRun }, seen) : undefined;
  if (named) entries.push(named);
  assertDistinct(entries);
  const preferred = named?.id ?? chosenModel(embedder) ?? (await liveModel(entries, seen)) ?? newModel.id;
  if (!entries.some(({ id, name }) => id === preferred || name === preferred))
    throw new ConfigError(
      `STRATALOG_EMBEDDING_MODEL: ${preferred} is not registered; ${entries.map(({ name }) => name).join(', ')} are`,
    );
  const registry = new ModelRegistry(entries, preferred);
  const loaded = registry.load(registry.preferred.id);
  // An endpoint that was unreachable is tried again.
  await (named ? loaded.catch(() => undefined) : loaded);
  return registry;
}

/** The id or name of the model that the configuration chooses, if any. The model of an endpoint is not known here. */
function chosenModel(embedder: Config['embedder']): string | undefined {
  return embedder.kind === 'deterministic'
    ? deterministicEmbedder({ dimension: deterministicDimension }).model.id
    : embedder.model;
}

/** The id of the model of the live vectors, if there are any and the model is registered. */
async function liveModel(entries: readonly ModelEntry[], seen: SeenModels): Promise<string | undefined> {
  const [live] = await seen();
  return entries.find(({ id }) => id === live)?.id;
}

/** The id of the preferred model. A model at an endpoint must return a vector. Rejects if the model cannot be used. */
export async function inspectEmbedder(config: Config, seen?: SeenModels): Promise<string> {
  const { embedder } = config;
  const opened =
    embedder.kind === 'openai'
      ? await openEndpoint(embedder)
      : await openEmbedders(config, { ...(seen && { seen }) });
  await opened.close();
  return 'model' in opened ? opened.model.id : opened.preferred.id;
}

function knownModels(models: Models): ModelEntry[] {
  const deterministic = () => deterministicEmbedder({ dimension: deterministicDimension });
  const { id } = deterministic().model;
  return [
    ...[multilingualE5Small, bgeSmall, e5Small].map((model) =>
      onnxEntry(model, folderOf(model, models.directory), models),
    ),
    { id, name: id, dimension: deterministicDimension, open: () => Promise.resolve(deterministic()) },
  ];
}

function onnxEntry(model: OnnxModel, folder: string, { workers, onRun }: Models): ModelEntry {
  const { id, name, dimension } = model;
  const open = () => openOnnxEmbedder({ model, folder, onRun, ...(workers !== undefined && { workers }) });
  return { id, name, dimension, open };
}

function entryOf(models: Models) {
  return (registered: Registration): ModelEntry => {
    const { id, dimension, prefix = noPrefix, scale } = registered;
    if ('folder' in registered) {
      const { pooling, longest, sha256 } = registered;
      const model = { id, name: id, dimension, prefix, pooling, longest, ...(sha256 && { sha256 }) };
      const folder = path.resolve(models.directory ?? '.', registered.folder);
      return { ...onnxEntry(model, folder, models), scale };
    }
    const { baseURL, model, apiKey } = registered;
    const { onRun } = models;
    const options = { id, dimension, prefix, baseURL, model, onRun, ...(apiKey !== undefined && { apiKey }) };
    return {
      id,
      name: id,
      dimension,
      scale,
      endpointModel: model,
      endpoint: withoutCredentials(baseURL),
      open: () => openOpenAiEmbedder(options),
    };
  };
}

/**
 * The model of the configured endpoint. If the endpoint is unreachable, the dimension comes from the configuration or
 * from existing vectors, and the first use of the model fails with the reason.
 */
async function endpointEntry(config: Endpoint, seen: SeenModels): Promise<ModelEntry> {
  let first: Promise<Embedder> | undefined = openEndpoint(config);
  const dimension = await first.then(
    ({ model }) => model.dimension,
    async (error: unknown) => {
      if (error instanceof ConfigError) throw error;
      const known = config.dimension ?? (await seenDimension(config, seen));
      if (known === undefined) throw neverSeen(error);
      return known;
    },
  );
  const options = { ...optionsOf(config), dimension };
  return {
    id: openAiModelId(config.model, dimension),
    name: config.model,
    dimension,
    endpointModel: config.model,
    endpoint: withoutCredentials(config.baseURL),
    open() {
      const opened = first ?? openOpenAiEmbedder(options);
      first = undefined;
      return opened;
    },
  };
}

/** Requests one vector from the endpoint to learn its dimension. */
async function openEndpoint(config: Endpoint): Promise<Embedder> {
  const opened = await openOpenAiEmbedder(optionsOf(config));
  const { dimension } = opened.model;
  if (config.dimension === undefined || config.dimension === dimension) return opened;
  await opened.close();
  throw new ConfigError(
    `STRATALOG_EMBEDDING_DIMENSION: ${config.model} returns vectors of ${dimension} numbers, not ${config.dimension}`,
  );
}

function optionsOf({ baseURL, model, apiKey, onRun }: Endpoint): OpenAiEmbedderOptions {
  return { baseURL, model, onRun, ...(apiKey !== undefined && { apiKey }) };
}

async function seenDimension({ model }: Endpoint, seen: SeenModels): Promise<number | undefined> {
  const dimensions = (await seen()).map((id) => dimensionIn(id, model));
  return dimensions.find((dimension) => dimension !== undefined);
}

function neverSeen(error: unknown): EmbedderUnavailable {
  const reason = error instanceof Error ? error.message : String(error);
  return new EmbedderUnavailable(
    `${reason}. The dimension of its vectors is not known yet: set STRATALOG_EMBEDDING_DIMENSION (such as 1536) to start without the endpoint, or start again when it answers`,
  );
}

/** Throws if two models have the same id, name or table of vectors. */
function assertDistinct(entries: readonly ModelEntry[]): void {
  const taken = new Set<string>();
  for (const { id, name } of entries) {
    for (const own of new Set([`id ${id}`, `name ${name}`, `table ${vectorTable(id)}`])) {
      if (taken.has(own))
        throw new ConfigError(`STRATALOG_EMBEDDING_MODELS: the ${own} belongs to another model already`);
      taken.add(own);
    }
  }
}

function withoutCredentials(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}
