import { hostname } from 'node:os';
import path from 'node:path';
import pino, { type Logger } from 'pino';
import { v7 as uuid } from 'uuid';
import { deterministicEmbedder } from './adapters/deterministic/embedder.ts';
import { SealedEventStore } from './adapters/eventstore/sealed-event-store.ts';
import { migrate } from './adapters/migrate.ts';
import { openOnnxEmbedder } from './adapters/onnx/embedder.ts';
import { openOpenAiEmbedder } from './adapters/openai/embedder.ts';
import { withHeadroom } from './adapters/pglite/headroom.ts';
import { openPglite } from './adapters/pglite/open.ts';
import { openPostgres } from './adapters/postgres/postgres.ts';
import { openSqlEventLog } from './adapters/sqllog/sql-event-log.ts';
import { parseRootKey, readRootKeyFile } from './adapters/vault/root-key.ts';
import { hasVault, openSqlKeyVault } from './adapters/vault/sql-key-vault.ts';
import type { CommandContext, CommandServices } from './commands/context.ts';
import { eventContext } from './commands/context.ts';
import { FactQueue } from './commands/record-facts.ts';
import { ConfigError, type Config } from './config.ts';
import { systemTenant, type TenantContext } from './domain/access/context.ts';
import { Authenticator } from './http/authenticate.ts';
import { startHttpServer, type HttpServer } from './http/server.ts';
import type { Embedder } from './ports/embedder.ts';
import type { EventLog } from './ports/event-log.ts';
import { systemClock } from './ports/clock.ts';
import type { Sql } from './ports/sql.ts';
import { WakeUp } from './ports/wake-up.ts';
import { allProjections } from './projections/all.ts';
import { ErasureManager } from './worker/erasure-manager.ts';
import { ProjectionOperations } from './projections/operations.ts';
import { ProjectionRunner } from './projections/runner.ts';
import { projectionSchema } from './projections/schema.ts';
import { ReadModels } from './queries/read-models.ts';
import { SearchService } from './queries/search/search.ts';
import { TenantDirectory } from './queries/tenant-directory.ts';
import { readiness } from './readiness.ts';
import type { Readiness, Services } from './services.ts';

/** A running Stratalog. */
export interface App {
  readonly url: string | undefined;
  readonly services: Services;
  readonly developmentIdentity: boolean;
  /** Answers what is under way, writes down what waits, lets go of everything. */
  stop(): Promise<void>;
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

export function createLogger(config: Config): Logger {
  return pino({
    name: 'stratalog',
    level: config.logLevel,
    // Neither secrets nor content are ever logged; this catches what an error object might carry.
    redact: [
      '*.authorization',
      '*.headers',
      'err.config',
      'err.parameters',
      'err.query',
      'err.detail',
      'err.where',
    ],
  });
}

async function assemble(config: Config, logger: Logger, undo: (() => Promise<void>)[]): Promise<App> {
  const opening = openEmbedder(config).then((embedder) => {
    undo.push(() => embedder.close());
    return embedder;
  });
  // The database is opened beside it; a failure here is met where the embedder is awaited.
  opening.catch(() => undefined);
  const sql = await openSql(config, logger);
  undo.push(() => sql.close());
  const embedder = await opening;
  const vault = await openSqlKeyVault(sql, await rootKey(config, sql));
  const log = await openLog(config, sql);
  undo.push(() => log.close());
  const store = new SealedEventStore(log, vault);
  await migrate(sql, 'projections', projectionSchema);

  const commands: CommandServices = { store, vault, clock: systemClock, newId: uuid };
  const progress = new WakeUp();
  const models = new ReadModels(sql, progress);
  const directory = new TenantDirectory(store, systemClock);
  await assertSafeToListen(config, directory);
  const facts = new FactQueue(commands, {
    onDropped: (count, error) => logger.error({ count, err: error }, 'retrieval facts were dropped'),
  });
  const runner = new ProjectionRunner({
    sql,
    store,
    projections: allProjections(embedder),
    progress,
    // The data folder's lock says already that there is no other embedded process.
    holder: config.profile === 'embedded' ? 'embedded' : `${hostname()}-${process.pid}`,
    onError: (projection, error) =>
      logger.warn({ projection, err: error }, 'projection waits and tries again'),
  });
  const operations = new ProjectionOperations(sql, store, runner);
  const erasures = new ErasureManager(commands, sql, commandContextOf('system'), (error) =>
    logger.warn({ err: error }, 'an erasure waits to be completed'),
  );
  await runner.start();
  undo.push(() => runner.stop());
  await erasures.start();
  undo.push(() => erasures.stop());
  void operations
    .renewStale(eventContext(commandContextOf('renew')))
    .catch((error: unknown) => logger.error({ err: error }, 'a stale read model could not be rebuilt'));

  const authenticator = new Authenticator({
    directory,
    masterKey: config.masterKey,
    jwt: config.jwt,
    development: config.profile === 'embedded' && isLoopback(config.host),
  });
  const lifecycle: { status: Readiness['status'] } = { status: 'ready' };
  const services: Services = {
    config,
    commands,
    facts,
    models,
    directory,
    operations,
    search: new SearchService(models, embedder, vault),
    ready: () => readiness(config, lifecycle.status, authenticator, services),
  };
  const serves = config.roles.length === 0 || config.roles.includes('api');
  let http: HttpServer | undefined;
  if (serves) http = await startHttpServer(services, authenticator, logger);
  return {
    url: http?.url,
    services,
    developmentIdentity: await authenticator.developmentIsOpen(),
    async stop() {
      lifecycle.status = 'draining';
      await http?.close();
      await facts.flush();
      await operations.stop();
      for (const step of undo.reverse()) await step();
    },
  };
}

async function openSql(config: Config, logger: Logger): Promise<Sql> {
  const onNotice = (notice: { severity: string; message: string }) => {
    if (notice.severity === 'PANIC' || notice.severity === 'FATAL') logger.fatal(notice, 'database');
  };
  switch (config.profile) {
    case 'embedded':
      return openPglite({ dataDir: config.dataDir, onNotice });
    case 'postgres':
      return openPostgres({ url: config.postgresUrl, onNotice });
    case 'cluster':
      throw new ConfigError('STRATALOG_PROFILE: cluster is not built yet; take embedded or postgres');
    default:
      return config.profile satisfies never;
  }
}

async function openLog({ profile, dataDir }: Config, sql: Sql): Promise<EventLog> {
  const log = await openSqlEventLog(sql);
  return profile === 'embedded' ? withHeadroom(log, dataDir) : log;
}

async function openEmbedder({ embedder }: Config): Promise<Embedder> {
  switch (embedder.kind) {
    case 'onnx':
      return openOnnxEmbedder({
        model: 'bge-small-en-v1.5',
        ...(embedder.workers !== undefined && { workers: embedder.workers }),
      });
    case 'openai': {
      const { baseURL, model, apiKey } = embedder;
      return openOpenAiEmbedder({ baseURL, model, ...(apiKey !== undefined && { apiKey }) });
    }
    case 'deterministic':
      return deterministicEmbedder({ dimension: 384 });
    default:
      return embedder satisfies never;
  }
}

async function rootKey({ vaultKey, dataDir }: Config, sql: Sql): Promise<Uint8Array> {
  if (vaultKey === undefined) return readRootKeyFile(path.join(dataDir, 'vault.key'), !(await hasVault(sql)));
  try {
    return parseRootKey(vaultKey);
  } catch (error) {
    throw new ConfigError(`STRATALOG_VAULT_KEY: ${(error as Error).message}`);
  }
}

function commandContextOf(correlationId: string): CommandContext {
  return { caller: system, cause: 'system', correlationId };
}

async function assertSafeToListen(
  { host, masterKey, jwt }: Config,
  directory: TenantDirectory,
): Promise<void> {
  if (isLoopback(host) || masterKey !== undefined || jwt || (await directory.anyKeyEver())) return;
  throw new ConfigError(
    `STRATALOG_HOST: ${host} can be reached from other machines, so a credential is needed: set STRATALOG_MASTER_KEY and create keys with it`,
  );
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/.test(host);
}
