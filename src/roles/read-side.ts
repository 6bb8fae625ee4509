import { o200k } from '../adapters/tokenizer/o200k.ts';
import { inTenant, type CommandServices } from '../commands/context.ts';
import type { Ledger } from '../commands/ledger/ledger.ts';
import { MeteredEmbedders } from '../commands/ledger/metered-embedders.ts';
import { TokenAllowances } from '../commands/ledger/token-allowances.ts';
import { migrate } from '../adapters/migrate.ts';
import { ProcessRegistry } from '../adapters/sql/process-registry.ts';
import type { ResidentWordIndex } from '../adapters/words/resident-word-index.ts';
import { modelAdvice, sampleLanguages } from '../backends/model-advice.ts';
import { openVectorsInMemory, openWordsInMemory, vectorsThatFit } from '../backends/in-memory.ts';
import { observeInMemory, observeProjections } from '../observability/telemetry.ts';
import { RepeatedErrors } from '../observability/repeated-errors.ts';
import { systemClock } from '../ports/clock.ts';
import type { Embedders } from '../ports/embedder.ts';
import { ReactorProcessor } from '../follow/reactor-processor.ts';
import { reactorSchema } from '../follow/schema.ts';
import { allProjections, projectionsForReactors } from '../projections/all.ts';
import { ProjectionOperations } from '../projections/operations.ts';
import type { Projection } from '../projections/projection.ts';
import { ProjectionRunner } from '../projections/runner.ts';
import { projectionSchema } from '../projections/schema.ts';
import { ModelUpkeep } from '../projections/vectors/model-upkeep.ts';
import { ParkedTexts } from '../projections/vectors/parked-texts.ts';
import { ReadModels } from '../queries/read-models.ts';
import { readSpaceBytes } from '../queries/spaces.ts';
import { SearchService } from '../queries/search/search.ts';
import { RankingDirectory } from '../queries/search/ranking-directory.ts';
import { Surfaces } from '../queries/surfaces.ts';
import { ShadowComparer } from '../queries/search/shadow-comparison.ts';
import { RecentlyUsed } from '../support/recently-used.ts';
import { WakeUp } from '../support/wake-up.ts';
import { erasureReactor } from '../reactors/erasure-reactor.ts';
import type { CommandSide } from './command-side.ts';
import { startForgetting } from './forgetting.ts';
import { systemCommandContext, type Process } from './process.ts';

/** How long a model of a space stays loaded after its last use. */
const spaceModelsMs = 600_000;

/** The read models and what reads and operates them: shared by the roles api, projector and worker. */
export interface ReadSide {
  readonly embedders: Embedders;
  /** Fires when texts of memories wait because the budget of their tenant is used up. */
  readonly textsWait: WakeUp;
  /** Fires when a read model has moved in this process. */
  readonly progress: WakeUp;
  /** Ids of the models of spaces that this process has used lately. */
  readonly spaceModels: RecentlyUsed<string>;
  readonly models: ReadModels;
  readonly retrieval: SearchService;
  readonly surfaces: Surfaces;
  /** The processes that have content in memory; undefined if there is only this one. */
  readonly registry: ProcessRegistry | undefined;
  /** Not started: the role projector does that. */
  readonly runner: ProjectionRunner;
  readonly operations: ProjectionOperations;
  /** Has caught up with the log; the role worker keeps it running. */
  readonly erasures: ReactorProcessor;
}

export async function openReadSide(
  own: Process,
  { store, commands, ledger }: CommandSide,
  opened: Embedders,
): Promise<ReadSide> {
  const { config, logger, stores, metrics, cleanup } = own;
  const { sql, lexicalIndex } = stores;
  const textsWait = new WakeUp();
  const embedders = meteredEmbedders(own, opened, ledger, commands, textsWait);
  await migrate(sql, 'projections', projectionSchema);
  await migrate(sql, 'processors', reactorSchema);

  const words = openWordsInMemory(config, sql, logger);
  const vectors = openVectorsInMemory(config, sql, words, logger);
  const progress = new WakeUp();
  const projections = [
    ...allProjections(embedders, {
      words: { index: lexicalIndex, inMemory: words !== undefined },
      vectorsInMemory: vectors && vectorsThatFit(embedders.preferred.dimension),
    }),
    ...projectionsForReactors({ store, vault: commands.vault, windowMs: config.summaryWindowMs }),
  ];
  const runner = newRunner(own, store, projections, progress);
  const models = new ReadModels(sql, progress);
  commands.quotas.connect((tenant, spaces) => readSpaceBytes(models, tenant, spaces));
  const indexes = { lexical: lexicalIndex, words, vectors };
  const spaceModels = new RecentlyUsed<string>(spaceModelsMs);
  const retrieval = new SearchService(
    models,
    embedders,
    systemClock,
    indexes,
    new RankingDirectory(store, (tenant) => commands.spaces.of(tenant)),
    { spaces: commands.spaces, onUse: (modelId) => spaceModels.add(modelId) },
  );
  const shadow = new ShadowComparer(store, models, retrieval);
  const operations = newOperations(own, store, runner, { shadow, words, embedders });
  const erasures = new ReactorProcessor(erasureReactor(commands, systemCommandContext('system')), {
    sql,
    store,
    onParked: (error) => logger.warn({ err: error }, 'an erasure failed and will be retried'),
  });

  const surfaces = new Surfaces();
  surfaces.add(...runner.surfaces, ...retrieval.surfaces);

  // Every process destroys the keys of erased memories before it opens any key.
  await erasures.catchUp();
  await runner.prepare();
  for (const [what, index] of [
    ['words', words],
    ['vectors', vectors],
  ] as const) {
    if (!index) continue;
    await index.start();
    cleanup.add(() => index.close());
    observeInMemory(metrics.meter, what, index);
    surfaces.add(...index.surfaces);
  }
  await startModelUpkeep(own, embedders, spaceModels);
  await adviseModel(own);
  cleanup.add(() => runner.stop());
  cleanup.add(() => operations.stop());
  observeProjections(metrics.meter, operations);
  const forgetQuestions = () => {
    for (const { id } of embedders.models) embedders.of(id)?.forgetQuestions?.();
  };
  const registry = config.profile === 'embedded' ? undefined : await ProcessRegistry.open(sql);
  startForgetting(own, { store, surfaces, forgetQuestions, registry });
  return {
    embedders,
    textsWait,
    progress,
    spaceModels,
    models,
    retrieval,
    surfaces,
    registry,
    runner,
    operations,
    erasures,
  };
}

/** Charges what embedding endpoints cost to the tenants. */
function meteredEmbedders(
  { logger, cleanup }: Process,
  embedders: Embedders,
  ledger: Ledger,
  { newId, spaces }: CommandServices,
  textsWait: WakeUp,
): Embedders {
  const context = systemCommandContext('embedding');
  const allowances = new TokenAllowances(
    ledger,
    newId,
    (tenant) => inTenant(context, tenant),
    (error) =>
      logger.warn({ err: error }, 'the cost of embeddings could not be charged; it will be as reserved'),
  );
  cleanup.add(() => allowances.close());
  return new MeteredEmbedders(
    embedders,
    allowances,
    (tenant) => spaces.of(tenant),
    o200k,
    () => textsWait.wake(),
  );
}

function newRunner(
  { config, logger, stores, leases }: Process,
  store: CommandSide['store'],
  projections: readonly Projection[],
  progress: WakeUp,
): ProjectionRunner {
  const { sql, transport } = stores;
  const repeated = new RepeatedErrors();
  return new ProjectionRunner({
    sql,
    store,
    projections,
    progress,
    leases,
    ...(transport && { topics: { transport, prefix: config.kafka.topicPrefix } }),
    onError: (projection, error) => {
      if (repeated.isNew(projection, error))
        logger.warn({ projection, err: error }, 'a projection failed and will retry');
    },
  });
}

function newOperations(
  { logger, stores, processors }: Process,
  store: CommandSide['store'],
  runner: ProjectionRunner,
  {
    shadow,
    words,
    embedders,
  }: {
    readonly shadow: ShadowComparer;
    readonly words: ResidentWordIndex | undefined;
    readonly embedders: Embedders;
  },
): ProjectionOperations {
  return new ProjectionOperations(stores.sql, store, runner, {
    running: processors,
    parkedTexts: new ParkedTexts(stores.sql, embedders),
    compare: (request, signal) => shadow.compare(request, signal),
    beforeSwitch: async ({ name, tables }) => {
      if (name === 'lexical') await words?.takeOver(tables('lexical'));
    },
    onFailure: (projection, error) =>
      logger.warn({ projection, err: error }, 'a rebuild failed and will retry'),
  });
}

/** Loads the models of the existing vectors: queries are embedded with the model of the live generation. */
async function startModelUpkeep(
  { logger, stores, cleanup }: Process,
  embedders: Embedders,
  spaceModels: RecentlyUsed<string>,
): Promise<void> {
  const upkeep = new ModelUpkeep(stores.sql, embedders, {
    alsoUsed: () => spaceModels.items(),
    onError: (model, err) =>
      logger.warn(
        { model, err },
        'an embedding model does not answer: until it does, searches use words alone and new vectors wait',
      ),
    onRecovered: (model) => logger.info({ model }, 'an embedding model answers again'),
  });
  const live = await upkeep.once();
  const { id, name } = embedders.preferred;
  if (!live.has(id))
    logger.info(
      { live: [...live], configured: id },
      `the live vectors were made by another model than the configured one: "projections rebuild --embedder ${name} --switch" changes it`,
    );
  upkeep.start();
  cleanup.add(() => upkeep.stop());
}

/** Logs a warning if another model would find the memories better. */
async function adviseModel({ logger, stores }: Process): Promise<void> {
  // A failure must not keep the program from starting.
  const languages = await sampleLanguages(stores.sql).catch(() => undefined);
  const advice = languages && modelAdvice(languages);
  if (advice) logger.warn(languages, advice);
}
