import path from 'node:path';
import { deterministicEmbedder } from '../adapters/deterministic/embedder.ts';
import { ModelRegistry, type ModelEntry } from '../adapters/embedding/model-registry.ts';
import { openOnnxEmbedder } from '../adapters/onnx/embedder.ts';
import { bgeSmall, e5Small, shippedFolder, type OnnxModel } from '../adapters/onnx/models.ts';
import { openOpenAiEmbedder, type OpenAiEmbedderOptions } from '../adapters/openai/embedder.ts';
import { ConfigError, type Config } from '../config.ts';
import { vectorTable } from '../domain/retrieval/vector-table.ts';
import type { Embedder, Embedders } from '../ports/embedder.ts';
import { readRegistrations, type Registration } from './registered-models.ts';

type Models = Config['embeddingModels'];

const noPrefix = { query: '', passage: '' };
const deterministicDimension = 384;

/**
 * Every model that this program knows and that the configuration registers; the one that is preferred is loaded. Rejects
 * with `ConfigError`, and with what keeps that one from loading.
 */
export async function openEmbedders(config: Config): Promise<Embedders> {
  const { embedder, embeddingModels: models } = config;
  const entries = [...knownModels(models), ...readRegistrations(models.registered).map(entryOf(models))];
  const named = embedder.kind === 'openai' ? await endpointEntry(embedder) : undefined;
  if (named) entries.push(named);
  assertApart(entries);
  const preferred =
    named?.id ??
    (embedder.kind === 'onnx'
      ? (embedder.model ?? bgeSmall.name)
      : deterministicEmbedder({ dimension: deterministicDimension }).model.id);
  if (!entries.some(({ id, name }) => id === preferred || name === preferred))
    throw new ConfigError(
      `STRATALOG_EMBEDDING_MODEL: ${preferred} is not registered; ${entries.map(({ name }) => name).join(', ')} are`,
    );
  const registry = new ModelRegistry(entries, preferred);
  await registry.load(registry.preferred.id);
  return registry;
}

function knownModels(models: Models): ModelEntry[] {
  const deterministic = () => deterministicEmbedder({ dimension: deterministicDimension });
  const { id } = deterministic().model;
  return [
    onnxEntry(bgeSmall, shippedFolder, models),
    onnxEntry(e5Small, path.resolve(models.directory ?? 'models', e5Small.name), models),
    { id, name: id, dimension: deterministicDimension, open: () => Promise.resolve(deterministic()) },
  ];
}

function onnxEntry(model: OnnxModel, folder: string, { workers }: Models): ModelEntry {
  const { id, name, dimension } = model;
  const open = () => openOnnxEmbedder({ model, folder, ...(workers !== undefined && { workers }) });
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
    const options = { id, dimension, prefix, baseURL, model, ...(apiKey !== undefined && { apiKey }) };
    return { id, name: id, dimension, scale, open: () => openOpenAiEmbedder(options) };
  };
}

/** The endpoint of the configuration is asked for its dimension, so it is open already. */
async function endpointEntry({
  baseURL,
  model,
  apiKey,
}: Extract<Config['embedder'], { kind: 'openai' }>): Promise<ModelEntry> {
  const options: OpenAiEmbedderOptions = { baseURL, model, ...(apiKey !== undefined && { apiKey }) };
  let opened: Embedder | undefined = await openOpenAiEmbedder(options);
  const { id, dimension } = opened.model;
  return {
    id,
    name: model,
    dimension,
    async open() {
      const first = opened;
      opened = undefined;
      return first ?? openOpenAiEmbedder({ ...options, dimension });
    },
  };
}

/** By everything that names them: two models never share a table of vectors. */
function assertApart(entries: readonly ModelEntry[]): void {
  const taken = new Set<string>();
  for (const { id, name } of entries) {
    for (const own of new Set([`id ${id}`, `name ${name}`, `table ${vectorTable(id)}`])) {
      if (taken.has(own))
        throw new ConfigError(`STRATALOG_EMBEDDING_MODELS: the ${own} belongs to another model already`);
      taken.add(own);
    }
  }
}
