import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { SealedEventStore } from './adapters/eventstore/sealed-event-store.ts';
import { migrate } from './adapters/migrate.ts';
import { openMetrics } from './adapters/prometheus/metrics.ts';
import { newId } from './adapters/random.ts';
import { SoleLeases } from './adapters/sole-leases.ts';
import { openSqlLeases } from './adapters/sql/leases.ts';
import type { BackEnd } from './backends/back-ends.ts';
import { openEmbedders } from './backends/embedder.ts';
import { openLanguageModel } from './backends/language-model.ts';
import { BackEndHealth } from './backends/health.ts';
import { openStores, type Stores } from './backends/stores.ts';
import { openVault } from './backends/vault.ts';
import { openVectorsInMemory, openWordsInMemory, vectorsThatFit } from './backends/in-memory.ts';
import { eventContext, type CommandContext, type CommandServices } from './commands/context.ts';
import { FactQueue } from './commands/record-facts.ts';
import { ConfigError, type Config } from './config.ts';
import { systemTenant, type TenantContext } from './domain/access/context.ts';
import { Authenticator } from './api/identity/authenticate.ts';
import { isLoopback } from './http/loopback.ts';
import { startHttpServer, type Api } from './http/server.ts';
import { createLogger } from './logger.ts';
import type { Embedders } from './ports/embedder.ts';
import { systemClock } from './ports/clock.ts';
import type { LanguageModelFor } from './ports/language-model.ts';
import type { Leases } from './ports/leases.ts';
import type { LexicalIndex } from './ports/lexical-index.ts';
import type { Metrics } from './ports/metrics.ts';
import { observed } from './queries/observed-language-model.ts';
import { pause } from './support/pause.ts';
import { WakeUp } from './support/wake-up.ts';
import type { EventProcessor } from './processors/processor.ts';
import { ManagedProcessor } from './processors/managed-processor.ts';
import { ProcessorRunner } from './processors/processor-runner.ts';
import { processorSchema } from './processors/schema.ts';
import { allProjections } from './projections/all.ts';
import { LexicalUpkeep } from './projections/lexical/upkeep.ts';
import { ModelUpkeep } from './projections/vectors/model-upkeep.ts';
import { seenModels } from './projections/vectors/seen-models.ts';
import { ProjectionOperations } from './projections/operations.ts';
import { ProjectionRunner } from './projections/runner.ts';
import { projectionSchema } from './projections/schema.ts';
import { ModelGuard } from './queries/model-guard.ts';
import { ReadModels } from './queries/read-models.ts';
import { RoutingDirectory } from './queries/routing/routing-directory.ts';
import { SearchService } from './queries/search/search.ts';
import { ShadowComparer } from './queries/search/shadow-comparison.ts';
import { TenantDirectory } from './queries/tenant-directory.ts';
import { readiness, type Readiness } from './readiness.ts';
import { RepeatedErrors } from './repeated-errors.ts';
import { assembleSearches } from './search.ts';
import { Relay } from './relay/relay.ts';
import { relaySchema } from './relay/schema.ts';
import {
  embeddingMetrics,
  languageModelMetrics,
  observeFacts,
  observeModelGuard,
  observeProcessor,
  observeProjections,
  observeRelay,
  observeInMemory,
} from './telemetry.ts';
import { erasureManager } from './worker/erasure-manager.ts';
import { underLease } from './worker/under-lease.ts';

/** Between two looks for rebuilds that nobody is at work on any more. */
const lookMs = 15_000;
const firstRenewalPauseMs = 15_000;
const longestRenewalPauseMs = 600_000;

/** A running process of Stratalog. */
export interface App {
  /** Of its API, or of its health alone where it has not the role `api`. */
  readonly url: string;
  readonly developmentIdentity: boolean;
  /** Answers what is under way, writes down what waits, lets go of everything. */
  stop(): Promise<void>;
}

/** What the roles have in common. */
interface Process {
  readonly config: Config;
  readonly logger: Logger;
  readonly stores: Stores;
  readonly leases: Leases;
  readonly metrics: Metrics;
  /** What is to be let go of, the last first. */
  readonly undo: (() => Promise<void>)[];
}

const nobody = { orgs: [], teams: [], projects: [], sessions: [], agents: [] } as const;

/** The program itself as an actor: what it does by its own decision. */
const system: TenantContext = { tenant: systemTenant, principal: 'system', roles: [], ...nobody };

/** Starts what `config` says, in the order of need, and undoes it where a step fails. */
export async function startApp(config: Config, logger: Logger = createLogger(config)): Promise<App> {
  const undo: (() => Promise<void>)[] = [];
  try {
    return await assemble(config, logger, undo);
  } catch (error) {
    for (const step of undo.reverse()) await step().catch(() => undefined);
    throw error;
  }
}

async function assemble(config: Config, logger: Logger, undo: (() => Promise<void>)[]): Promise<App> {
  const metrics = openMetrics((error) => logger.warn({ err: error }, 'a metric could not be read'));
  undo.push(() => metrics.close());
  const openingStores = openStores(config, logger, undo);
  const seen = async () => seenModels((await openingStores).sql);
  const onRun = embeddingMetrics(metrics.meter);
  // Beside the stores; a failure here is met where the embedder is awaited.
  const opening = config.roles.some((role) => role !== 'relay')
    ? openEmbedders(config, { seen, onRun })
    : undefined;
  const opened = opening?.catch(() => undefined);
  undo.push(async () => (await opened)?.close());
  const stores = await openingStores;
  const leases =
    config.profile === 'embedded'
      ? new SoleLeases()
      : await openSqlLeases(stores.sql, `${hostname()}-${process.pid}`);
  const own: Process = { config, logger, stores, leases, metrics, undo };

  const relay = config.roles.includes('relay') ? await startRelay(own) : undefined;
  const memory = opening && (await startMemory(own, await opening));
  const lifecycle: { status: Readiness['status'] } = { status: 'ready' };
  const backEnds = new BackEndHealth(await serversOf(config));
  const { api, operations, embedders } = memory ?? {};
  const development = async () => (await api?.authenticator.developmentIsOpen()) ?? false;
  const ready = () =>
    readiness({
      config,
      status: () => lifecycle.status,
      backEnds,
      log: stores.log,
      operations,
      embedders,
      relay,
      development,
    });
  const http = await startHttpServer({ ...config, ready, metrics, api }, logger);
  return {
    url: http.url,
    developmentIdentity: await development(),
    async stop() {
      lifecycle.status = 'draining';
      await http.close();
      for (const step of undo.reverse()) await step();
    },
  };
}

/** The servers of the profile. Their clients are loaded where there are any. */
async function serversOf(config: Config): Promise<BackEnd[]> {
  if (config.profile === 'embedded') return [];
  const { backEndsOf } = await import('./backends/back-ends.ts');
  return backEndsOf(config);
}

async function startRelay({ config, logger, stores, leases, metrics, undo }: Process): Promise<Relay> {
  const { sql, log, transport } = stores;
  if (!transport) throw new Error(`the profile ${config.profile} has no relay`);
  await migrate(sql, 'relay', relaySchema);
  const relay = new Relay({
    log,
    transport,
    sql,
    leases,
    prefix: config.kafka.topicPrefix,
    onError: (error) => logger.warn({ err: error }, 'the relay waits and tries again'),
  });
  relay.start();
  undo.push(() => relay.stop());
  observeRelay(metrics.meter, relay);
  return relay;
}

interface Memory {
  readonly operations: ProjectionOperations;
  readonly embedders: Embedders;
  readonly api: Api | undefined;
}

/** What the roles api, projector and worker are made of. */
async function startMemory(own: Process, embedders: Embedders): Promise<Memory> {
  const { config, logger, stores, leases, metrics, undo } = own;
  const { roles } = config;
  const { sql, transport, lexicalIndex } = stores;
  const vault = await openVault(config, sql);
  const store = new SealedEventStore(stores.log, vault);
  const commands: CommandServices = { store, vault, clock: systemClock, newId };
  await migrate(sql, 'projections', projectionSchema);
  await migrate(sql, 'processors', processorSchema);
  const directory = new TenantDirectory(store, systemClock);
  await assertSafeToListen(config, directory);

  const words = openWordsInMemory(config, sql, logger);
  const inMemory = openVectorsInMemory(config, sql, words, logger);
  const progress = new WakeUp();
  const repeated = new RepeatedErrors();
  const runner = new ProjectionRunner({
    sql,
    store,
    projections: allProjections(embedders, {
      words: { index: lexicalIndex, inMemory: words !== undefined },
      vectorsInMemory: inMemory && vectorsThatFit(embedders.preferred.dimension),
    }),
    progress,
    leases,
    ...(transport && { topics: { transport, prefix: config.kafka.topicPrefix } }),
    onError: (projection, error) => {
      if (repeated.isNew(projection, error))
        logger.warn({ projection, err: error }, 'projection waits and tries again');
    },
  });
  const models = new ReadModels(sql, progress);
  const retrieval = new SearchService(models, embedders, systemClock, {
    lexical: lexicalIndex,
    words,
    vectors: inMemory,
  });
  const shadow = new ShadowComparer(store, models, retrieval);
  const operations = new ProjectionOperations(sql, store, runner, {
    compare: (request, signal) => shadow.compare(request, signal),
    beforeSwitch: async ({ name, tables }) => {
      if (name === 'lexical') await words?.takeOver(tables('lexical'));
    },
    onFailure: (projection, error) =>
      logger.warn({ projection, err: error }, 'a rebuild waits and tries again'),
  });
  const erasures = new ManagedProcessor(erasureManager(commands, commandContextOf('system')), {
    sql,
    store,
    onParked: (error) => logger.warn({ err: error }, 'an erasure waits to be completed'),
  });
  // In every process: no key is opened that an erasure has named.
  await erasures.catchUp();
  await runner.prepare();
  if (words) {
    await words.start();
    undo.push(() => words.close());
    observeInMemory(metrics.meter, 'words', words);
  }
  if (inMemory) {
    await inMemory.start();
    undo.push(() => inMemory.close());
    observeInMemory(metrics.meter, 'vectors', inMemory);
  }
  await startModelUpkeep(own, embedders);
  undo.push(() => runner.stop());
  undo.push(() => operations.stop());
  observeProjections(metrics.meter, operations);

  if (roles.includes('projector')) {
    await runner.start();
    if (lexicalIndex) startLexicalUpkeep(own, lexicalIndex);
  }
  if (roles.includes('worker')) {
    startProcessor(own, erasures);
    startRenewal(own, operations);
  }
  if (!roles.includes('api')) return { operations, embedders, api: undefined };

  const facts = new FactQueue(commands, {
    onDropped: (count, error) => logger.error({ count, err: error }, 'retrieval facts were dropped'),
  });
  undo.push(() => facts.flush());
  observeFacts(metrics.meter, facts);
  const routing = new RoutingDirectory(store);
  const { search, multiHop } = assembleSearches({
    config,
    logger,
    meter: metrics.meter,
    models,
    retrieval,
    vault,
    routing,
    languageModel: languageModelOf(own),
  });
  undo.push(() => search.settle());
  const authenticator = new Authenticator({
    directory,
    masterKey: config.masterKey,
    jwt: config.jwt,
    development: config.profile === 'embedded' && isLoopback(config.host),
  });
  const routingIsOff = !config.routing;
  const reasoningIsOff = !config.reasoning;
  const services = {
    commands,
    facts,
    models,
    directory,
    operations,
    search,
    multiHop,
    routing,
    routingIsOff,
    reasoningIsOff,
    embedders,
  };
  return { operations, embedders, api: { services, authenticator, topicPrefix: config.kafka.topicPrefix } };
}

/** The breakers stand before what counts: a call that they refuse is none. */
function languageModelOf({ config, logger, metrics }: Process): LanguageModelFor | undefined {
  const opened = openLanguageModel(config);
  if (!opened) return undefined;
  const counted = observed(opened, languageModelMetrics(metrics.meter));
  const guard = new ModelGuard(counted, (tenant, model) =>
    logger.warn(
      { tenant, model },
      'a language model is not asked for a while: too many of its calls have failed',
    ),
  );
  observeModelGuard(metrics.meter, guard);
  return (tenant) => guard.of(tenant);
}

/** Loads the models of the vectors that are there: queries are embedded with that of the live ones. */
async function startModelUpkeep({ logger, stores, undo }: Process, embedders: Embedders): Promise<void> {
  const upkeep = new ModelUpkeep(stores.sql, embedders, {
    onError: (model, err) =>
      logger.warn(
        { model, err },
        'an embedding model does not answer: searches go by words alone, and vectors are made when it does',
      ),
    onRecovered: (model) => logger.info({ model }, 'an embedding model answers again'),
  });
  const live = await upkeep.once();
  const { id, name } = embedders.preferred;
  if (!live.has(id))
    logger.info(
      { live: [...live], configured: id },
      `the vectors are of another model than the configured one: "projections rebuild --embedder ${name} --switch" changes it`,
    );
  upkeep.start();
  undo.push(() => upkeep.stop());
}

function startProcessor({ logger, leases, metrics, stores, undo }: Process, processor: EventProcessor): void {
  const runner = new ProcessorRunner(processor, {
    leases,
    onError: (error) =>
      logger.warn({ processor: processor.name, err: error }, 'an event processor waits and tries again'),
  });
  runner.start();
  undo.push(() => runner.stop());
  observeProcessor(metrics.meter, stores.log, runner);
}

/** Rebuilds what another version of the program left, tried until it is done, and ends rebuilds of processes that are no more. */
function startRenewal({ logger, leases, undo }: Process, operations: ProjectionOperations): void {
  const stop = new AbortController();
  const { signal } = stop;
  const context = eventContext(commandContextOf('renew'));
  const told = (error: unknown, what: string): void => {
    if (!signal.aborted) logger.error({ err: error }, what);
  };
  const renew = async (): Promise<void> => {
    for (
      let waitMs = firstRenewalPauseMs;
      !signal.aborted;
      waitMs = Math.min(2 * waitMs, longestRenewalPauseMs)
    ) {
      try {
        return await underLease(leases, 'renewal', () => operations.renewStale(context), signal);
      } catch (error) {
        told(error, 'a stale read model could not be rebuilt');
      }
      await pause(waitMs, signal);
    }
  };
  const end = async (): Promise<void> => {
    while (!signal.aborted) {
      await operations
        .endInterrupted(context)
        .catch((error: unknown) => told(error, 'an interrupted rebuild could not be ended'));
      await pause(lookMs, signal);
    }
  };
  undo.push(() => Promise.resolve(stop.abort()));
  void renew();
  void end();
}

function startLexicalUpkeep({ logger, stores, undo }: Process, index: LexicalIndex): void {
  const upkeep = new LexicalUpkeep({
    sql: stores.sql,
    index,
    onError: (error) => logger.warn({ err: error }, 'the upkeep of the lexical index is tried again'),
  });
  upkeep.start();
  undo.push(() => upkeep.stop());
}

function commandContextOf(correlationId: string): CommandContext {
  return { caller: system, cause: 'system', correlationId };
}

async function assertSafeToListen(
  { roles, host, masterKey, jwt }: Config,
  directory: TenantDirectory,
): Promise<void> {
  if (!roles.includes('api') || isLoopback(host) || masterKey !== undefined || jwt) return;
  if (await directory.anyKeyEver()) return;
  throw new ConfigError(
    `STRATALOG_HOST: ${host} can be reached from other machines, so a credential is needed: set STRATALOG_MASTER_KEY and create keys with it`,
  );
}
