import { describe, expect, it } from 'vitest';
import { deterministicEmbedder } from '../../src/adapters/deterministic/embedder.ts';
import { LazyEmbedder } from '../../src/adapters/embedding/lazy-embedder.ts';
import { ModelRegistry, type ModelEntry } from '../../src/adapters/embedding/model-registry.ts';
import { bgeSmall, multilingualE5Small } from '../../src/adapters/onnx/models.ts';
import { openEmbedders } from '../../src/backends/embedder.ts';
import { readRegistrations } from '../../src/backends/registered-models.ts';
import { readConfig } from '../../src/config.ts';
import { BGE_SMALL } from '../../src/domain/ranking/scales.ts';
import { EmbedderUnavailable } from '../../src/ports/embedder.ts';

/** Word models that record when they are opened and closed. */
function words(...dimensions: number[]): { entries: ModelEntry[]; calls: string[] } {
  const calls: string[] = [];
  const entries = dimensions.map((dimension): ModelEntry => {
    const name = `w${dimension}`;
    const { id } = deterministicEmbedder({ dimension }).model;
    const open = async () => {
      calls.push(`open ${name}`);
      const embedder = deterministicEmbedder({ dimension });
      return {
        ...embedder,
        async close() {
          calls.push(`close ${name}`);
          await embedder.close();
        },
      };
    };
    return { id, name, dimension, open };
  });
  return { entries, calls };
}

describe('the registry of models', () => {
  it('[H4] finds each model by id and by name, and loads it for its first text', async () => {
    const { entries, calls } = words(16, 32);
    const registry = new ModelRegistry(entries, 'w32');
    expect(registry.preferred).toMatchObject({ id: 'deterministic-words-32', dimension: 32 });
    expect(registry.find('w16')).toBe(registry.find('deterministic-words-16'));
    expect(registry.find('w64')).toBeUndefined();
    expect(registry.of('deterministic-words-64')).toBeUndefined();
    expect(calls).toEqual([]);
    const [vector] = await registry.of('deterministic-words-16')!.embed(['text'], 'query');
    expect(vector).toHaveLength(16);
    await registry.of('deterministic-words-16')!.embed(['more'], 'passage');
    expect(calls).toEqual(['open w16']);
    await registry.close();
    expect(calls).toEqual(['open w16', 'close w16']);
  });

  it('[H4] closes unused models, and loads them again when they are used', async () => {
    const { entries, calls } = words(16, 32);
    const registry = new ModelRegistry(entries, 'w16');
    for (const { id } of entries) await registry.load(id);
    await registry.keepOnly(new Set(['deterministic-words-32']));
    expect(calls).toEqual(['open w16', 'open w32', 'close w16']);
    await registry.of('deterministic-words-16')!.embed(['text'], 'query');
    expect(calls.at(-1)).toBe('open w16');
    await registry.close();
  });

  it('[H4] refuses to prefer an unknown model', () => {
    expect(() => new ModelRegistry(words(16).entries, 'w32')).toThrow(/w32.*w16/);
  });
});

describe('a model that does not load', () => {
  it('[H4] is unavailable, is not retried at once, and works as soon as it loads', async () => {
    let tries = 0;
    let isThere = false;
    const embedder = new LazyEmbedder({ id: 'm', dimension: 16 }, async () => {
      tries++;
      if (!isThere) throw new Error('no files');
      return deterministicEmbedder({ dimension: 16 });
    });
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(EmbedderUnavailable);
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(/m does not load: no files/);
    expect(tries).toBe(1);
    isThere = true;
    await embedder.load();
    expect(await embedder.embed(['a'], 'query')).toHaveLength(1);
    await embedder.close();
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(EmbedderUnavailable);
  });
});

describe('a model that does not answer', () => {
  it('[H4] counts as failed until it makes a new vector, even if it has cached ones', async () => {
    let isAway = true;
    const words16 = deterministicEmbedder({ dimension: 16 });
    const { model } = words16;
    const registry = new ModelRegistry(
      [
        {
          ...model,
          name: 'w16',
          open: async () => ({
            ...words16,
            async embed(...[texts, purpose]: Parameters<typeof words16.embed>) {
              if (isAway && !texts.includes('asked before')) throw new EmbedderUnavailable('it is away');
              return words16.embed(texts, purpose);
            },
          }),
        },
      ],
      'w16',
    );
    const embed = (text: string, purpose: 'query' | 'passage') =>
      registry.of(model.id)!.embed([text], purpose);
    expect(registry.failure(model.id)).toBeUndefined();
    await expect(embed('new', 'query')).rejects.toThrow('it is away');
    const failure = registry.failure(model.id);
    expect(failure).toMatchObject({ error: { message: 'it is away' }, since: expect.any(Date) });
    await embed('asked before', 'query');
    await expect(registry.probe(model.id)).rejects.toThrow('it is away');
    expect(registry.failure(model.id)?.since).toBe(failure?.since);
    isAway = false;
    await registry.probe(model.id);
    expect(registry.failure(model.id)).toBeUndefined();
    await registry.close();
  });
});

describe('registered models', () => {
  const own = { id: 'own', dimension: 128, folder: 'own', pooling: 'mean' };
  const remote = { id: 'remote', dimension: 64, baseURL: 'http://127.0.0.1:1/v1', model: 'tiny' };
  const read = (...models: unknown[]) => readRegistrations(JSON.stringify(models));

  it('[H4] are files or an endpoint', () => {
    expect(read(own, { ...remote, scale: BGE_SMALL })).toEqual([
      { ...own, longest: 512 },
      { ...remote, scale: BGE_SMALL },
    ]);
    expect(readRegistrations(undefined)).toEqual([]);
  });

  it.each([
    ['no list', '{}', /a JSON list|file/],
    ['no JSON', '[oops', /JSON/],
    ['a file that is not there', '/nowhere/models.json', /nowhere/],
    ['an id that is no name', JSON.stringify([{ ...own, id: 'Own Model' }]), /0\.id/],
    [
      'a dimension that the index does not take',
      JSON.stringify([{ ...own, dimension: 4_096 }]),
      /0\.dimension/,
    ],
    ['neither files nor an endpoint', JSON.stringify([{ id: 'x', dimension: 8 }]), /0\.baseURL/],
    ['an unknown field', JSON.stringify([own, { ...remote, colour: 'red' }]), /1: .*colour/],
    [
      'a falling scale',
      JSON.stringify([{ ...own, scale: { ...BGE_SMALL, both: { intercept: 0, slope: -1 } } }]),
      /0\.scale\.both\.slope/,
    ],
  ])('[H4] refuses %s', (_, text, message) => {
    expect(() => readRegistrations(text)).toThrow(message);
    expect(() => readRegistrations(text)).toThrow(/STRATALOG_EMBEDDING_MODELS/);
  });

  const opening = (environment: Record<string, string>) =>
    openEmbedders(readConfig({ STRATALOG_EMBEDDER: 'deterministic', ...environment }));

  it('[H4] are added to the built-in models', async () => {
    const embedders = await opening({ STRATALOG_EMBEDDING_MODELS: JSON.stringify([own, remote]) });
    const names = [
      ...['multilingual-e5-small', 'bge-small-en-v1.5', 'e5-small-v2', 'deterministic-words-384'],
      ...['own', 'remote'],
    ];
    expect(embedders.models.map(({ name }) => name)).toEqual(names);
    expect(embedders.preferred.name).toBe('deterministic-words-384');
    await expect(embedders.load('own')).rejects.toThrow(/own.model\.onnx/);
    await embedders.close();
  });

  it.each([
    ['id', [own, { ...remote, id: 'own' }]],
    ['name', [{ ...own, id: 'e5-small-v2' }]],
    [
      'table',
      [
        { ...own, id: 'my-model' },
        { ...own, id: 'my.model' },
      ],
    ],
  ])('[H4] do not share the %s of another', async (what, models) => {
    const failing = opening({ STRATALOG_EMBEDDING_MODELS: JSON.stringify(models) });
    await expect(failing).rejects.toThrow(new RegExp(`the ${what}`));
  });

  it.each([
    ['of a new database is the multilingual one', [], undefined, 'multilingual-e5-small'],
    ['of existing vectors is kept', [bgeSmall.id, multilingualE5Small.id], undefined, 'bge-small-en-v1.5'],
    ['that a setting names is used', [bgeSmall.id], 'multilingual-e5-small', 'multilingual-e5-small'],
    ['of vectors that nobody can make here is replaced', ['gone-1'], undefined, 'multilingual-e5-small'],
  ])('[H4] [A18] the model %s', async (_, seen, named, expected) => {
    const config = readConfig({ STRATALOG_EMBEDDING_MODEL: named });
    const embedders = await openEmbedders(config, { seen: () => Promise.resolve(seen) });
    expect(embedders.preferred.name).toBe(expected);
    await embedders.close();
  });

  it('[H4] are listed in the error for an unknown model', async () => {
    const failing = opening({ STRATALOG_EMBEDDER: 'onnx', STRATALOG_EMBEDDING_MODEL: 'magic' });
    await expect(failing).rejects.toThrow(
      /magic is not registered; multilingual-e5-small, bge-small-en-v1\.5, e5-small-v2/,
    );
  });
});
