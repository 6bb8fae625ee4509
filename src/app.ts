import { hostname } from 'node:os';
import type { Logger } from 'pino';
import { socketIn } from './adapters/folder-socket.ts';
import { packageVersion } from './adapters/package-version.ts';
import { freeBytes } from './adapters/pglite/headroom.ts';
import { openMetrics } from './adapters/prometheus/metrics.ts';
import { SoleLeases } from './adapters/sole-leases.ts';
import { openSqlLeases } from './adapters/sql/leases.ts';
import type { BackEnd } from './backends/back-ends.ts';
import { openCopySource } from './backup/open-source.ts';
import { openEmbedders } from './backends/embedder.ts';
import { BackEndHealth } from './backends/health.ts';
import { openStores, type Stores } from './backends/stores.ts';
import type { Config } from './config.ts';
import { isLoopback } from './http/loopback.ts';
import type { Health, MetricsAccess } from './http/serve-health.ts';
import { startHttpServer, type Api, type HttpApplication, type HttpServer } from './http/server.ts';
import { createLogger } from './observability/logger.ts';
import { readiness, type Readiness } from './observability/readiness.ts';
import { RepeatedErrors } from './observability/repeated-errors.ts';
import { embeddingMetrics, observeDisk } from './observability/telemetry.ts';
import { tracedEmbedders } from './observability/traced-embedders.ts';
import type { Embedders } from './ports/embedder.ts';
import type { Leases } from './ports/leases.ts';
import type { CopySource } from './ports/log-copy.ts';
import type { Metrics } from './ports/metrics.ts';
import { seenModels } from './projections/vectors/seen-models.ts';
import { assertSafeToListen, openApi } from './roles/api.ts';
import { openCommandSide } from './roles/command-side.ts';
import { openLearning } from './roles/policies.ts';
import type { Process } from './roles/process.ts';
import { startErasures } from './roles/erasures.ts';
import { startProjector } from './roles/projector.ts';
import { openReadSide, type ReadSide } from './roles/read-side.ts';
import { startRelay } from './roles/relay.ts';
import { openProofs } from './roles/proofs.ts';
import { startWorker } from './roles/worker.ts';
import { Cleanup } from './support/cleanup.ts';
import { recordSpansWith } from './support/tracing.ts';

/** A running process of Stratalog. */
export interface App {
  /** Base URL of the API, or of the health endpoints if this process does not run the role `api`. */
  readonly url: string;
  readonly developmentIdentity: boolean;
  /** Finishes the requests in progress, writes what is queued, and closes everything. */
  stop(): Promise<void>;
}

export interface AppOptions {
  /** Whether to listen on `host` and `port`, and not only on the socket in the data folder; default true. */
  readonly listens?: boolean;
}

/** Starts the roles that `config` names. If a step fails, closes what is open and rejects with the error. */
export async function startApp(
  config: Config,
  logger: Logger = createLogger(config),
  options: AppOptions = {},
): Promise<App> {
  const cleanup = new Cleanup();
  try {
    return await start(config, logger, cleanup, options);
  } catch (error) {
    await cleanup.runAll();
    throw error;
  }
}

async function start(
  config: Config,
  logger: Logger,
  cleanup: Cleanup,
  { listens = true }: AppOptions,
): Promise<App> {
  const { roles } = config;
  const metrics = openMetrics((error) => logger.warn({ err: error }, 'a metric could not be read'));
  cleanup.add(() => metrics.close());
  if (config.profile === 'embedded') observeDisk(metrics.meter, () => freeBytes(config.dataDir));
  if (config.traces) await startTracing(logger, cleanup);
  const openingStores = openTracedStores(config, logger, cleanup);
  const openingEmbedders = openEmbeddersFor(config, metrics, openingStores, cleanup);
  const stores = await openingStores;
  const leases = await openLeases(config, stores);
  const own: Process = { config, logger, stores, leases, metrics, cleanup, processors: [] };

  const relay = roles.includes('relay') ? await startRelay(own) : undefined;
  const { readSide, api } = openingEmbedders ? await startMemoryRoles(own, await openingEmbedders) : {};

  let status: Readiness['status'] = 'ready';
  const backEnds = new BackEndHealth(await backEndsFor(config));
  const development = async () => (await api?.authenticator.developmentIsOpen()) ?? false;
  const { operations, embedders } = readSide ?? {};
  const sources = {
    config,
    backEnds,
    log: stores.log,
    operations,
    embedders,
    relay,
    bulkStores: api && (() => api.services.bulkPace.state()),
    development,
  };
  const ready = () => readiness({ ...sources, status: () => status });
  const copySource = () => openCopySource(config, stores);
  const health = { ready, metrics, metricsAccess: metricsAccessOf(config) };
  const http = await startHttp({ ...health, api, copySource }, config, logger, { listens });
  const ofMetrics = await startMetrics(health, config, logger, { listens });
  return {
    url: http.url,
    developmentIdentity: await development(),
    async stop() {
      status = 'draining';
      await Promise.all([http.close(), ofMetrics?.close()]);
      await cleanup.run();
    },
  };
}

/** Listens on the address of the configuration, and where there is a data folder, on the socket in it. */
async function startHttp(
  application: HttpApplication & { readonly copySource: () => Promise<CopySource> },
  { profile, dataDir, host, port }: Config,
  logger: Logger,
  { listens }: Required<AppOptions>,
): Promise<HttpServer> {
  const socket = profile === 'embedded' ? await socketIn(dataDir) : undefined;
  const address = listens ? { address: { host, port } } : {};
  try {
    return await startHttpServer({ ...application, ...address, socket }, logger);
  } finally {
    await socket?.dispose();
  }
}

/** Without an API, a port has only health and metrics, and its address is for those who operate the program. */
function metricsAccessOf({ roles, host, metricsPort }: Config): MetricsAccess {
  if (metricsPort !== undefined) return 'elsewhere';
  return roles.includes('api') && !isLoopback(host) ? 'key' : 'open';
}

/** Listens on the port of the metrics, if they have one. */
async function startMetrics(
  health: Health,
  { host, metricsPort: port }: Config,
  logger: Logger,
  { listens }: Required<AppOptions>,
): Promise<HttpServer | undefined> {
  if (port === undefined || !listens) return undefined;
  const server = await startHttpServer(
    { ...health, metricsAccess: 'open', api: undefined, address: { host, port } },
    logger,
  );
  logger.info({ url: `${server.url}/metrics` }, 'metrics have a port of their own');
  return server;
}

/** The roles that work with memories: projector, worker and api. */
async function startMemoryRoles(
  own: Process,
  embedders: Embedders,
): Promise<{ readSide: ReadSide; api: Api | undefined }> {
  const { roles } = own.config;
  const commandSide = await openCommandSide(own);
  await assertSafeToListen(own.config, commandSide.directory);
  const readSide = await openReadSide(own, commandSide, embedders);
  if (roles.includes('projector')) await startProjector(own, commandSide.store, readSide);
  if (!roles.includes('worker') && !roles.includes('api')) return { readSide, api: undefined };
  const learning = openLearning(own, { services: commandSide.commands, models: readSide.models });
  if (roles.includes('worker')) startWorker(own, commandSide, readSide, learning);
  const { proofs, signers } = await openProofs(own, commandSide);
  if (roles.includes('worker')) startErasures(own, commandSide, readSide, { origin: proofs.origin, signers });
  const api = roles.includes('api') ? openApi(own, commandSide, readSide, learning, proofs) : undefined;
  return { readSide, api };
}

/**
 * Opens the embedding models while the stores open; undefined if only the role `relay` runs. The caller handles the
 * error of a model that cannot be opened.
 */
function openEmbeddersFor(
  config: Config,
  metrics: Metrics,
  openingStores: Promise<Stores>,
  cleanup: Cleanup,
): Promise<Embedders> | undefined {
  if (config.roles.every((role) => role === 'relay')) return undefined;
  const seen = async () => seenModels((await openingStores).sql);
  const opened = openEmbedders(config, { seen, onRun: embeddingMetrics(metrics.meter) });
  const opening = config.traces ? opened.then(tracedEmbedders) : opened;
  const usable = opening.catch(() => undefined);
  cleanup.add(async () => (await usable)?.close());
  return opening;
}

/** Records the spans of this process from here on. The libraries for it are only loaded if it is wanted. */
async function startTracing(logger: Logger, cleanup: Cleanup): Promise<void> {
  const { openTracer } = await import('./adapters/otlp/tracer.ts');
  const repeated = new RepeatedErrors();
  const recording = openTracer(
    packageVersion(),
    (error) => {
      if (repeated.isNew('traces', error))
        logger.warn({ err: error }, 'spans could not be sent and are lost');
    },
    (why) => logger.warn({ why }, 'a setting of the traces cannot be used'),
  );
  recordSpansWith(recording.tracer);
  cleanup.add(async () => {
    recordSpansWith(undefined);
    await recording.close();
  });
}

async function openTracedStores(config: Config, logger: Logger, cleanup: Cleanup): Promise<Stores> {
  const stores = await openStores(config, logger, cleanup);
  if (!config.traces) return stores;
  const { tracedStores } = await import('./observability/traced-stores.ts');
  return tracedStores(stores);
}

async function openLeases({ profile }: Config, { sql }: Stores): Promise<Leases> {
  return profile === 'embedded' ? new SoleLeases() : openSqlLeases(sql, `${hostname()}-${process.pid}`);
}

/** The servers of the profile. Their clients are only loaded for a profile that has servers. */
async function backEndsFor(config: Config): Promise<BackEnd[]> {
  if (config.profile === 'embedded') return [];
  const { backEndsOf } = await import('./backends/back-ends.ts');
  return backEndsOf(config);
}
