import { packageVersion } from '../adapters/package-version.ts';
import { o200k } from '../adapters/tokenizer/o200k.ts';
import { Admission } from '../api/admission/admission.ts';
import { BulkPace } from '../api/admission/bulk-pace.ts';
import { LimitsDirectory } from '../api/admission/limits-directory.ts';
import type { ConfiguredModel } from '../api/operation/models.ts';
import { Authenticator } from '../api/identity/authenticate.ts';
import { SummaryDemand } from '../api/context/summary-demand.ts';
import { modelNames, openLanguageModel } from '../backends/language-model.ts';
import { outOfReach } from '../backends/out-of-reach.ts';
import { FactQueue } from '../commands/record-facts.ts';
import { readSummarySettings } from '../commands/summaries/configure-summaries.ts';
import { summaryIdOf } from '../domain/summaries/summary-scope.ts';
import { WhatIfComputations } from '../past/what-ifs.ts';
import { ConfigError, type Config } from '../config.ts';
import { bindings } from '../http/bindings/index.ts';
import { isLoopback } from '../http/loopback.ts';
import type { Api } from '../http/server.ts';
import {
  languageModelMetrics,
  observeAdmission,
  observeFacts,
  observeModelGuard,
} from '../observability/telemetry.ts';
import { tracedLanguageModel } from '../observability/traced-language-model.ts';
import type { LanguageModelFor } from '../ports/language-model.ts';
import { systemClock } from '../ports/clock.ts';
import { ConflictFinder } from '../queries/conflicts.ts';
import { QuestionSpaces } from '../queries/content-routing/question-spaces.ts';
import { ContextBlocks } from '../queries/context/context-blocks.ts';
import { ContextAnyTime } from '../queries/context/context-any-time.ts';
import { ContextBuilder } from '../queries/context/context-builder.ts';
import { ModelGuard } from '../queries/model-guard.ts';
import { observed } from '../queries/observed-language-model.ts';
import { RoutingDirectory } from '../queries/routing/routing-directory.ts';
import { ExperienceReader } from '../queries/experience/experience-reader.ts';
import { PolicyDirectory } from '../queries/policies/policy-directory.ts';
import { PolicyReader } from '../queries/policies/policy-reader.ts';
import { LessonReader } from '../queries/experience/lesson-reader.ts';
import { TraceReader } from '../queries/experience/trace-reader.ts';
import { readVectorLag } from '../queries/vector-lag.ts';
import { SearchAnyTime } from '../queries/search-any-time.ts';
import { SummaryReader } from '../queries/summaries/list-summaries.ts';
import type { TenantDirectory } from '../queries/tenant-directory.ts';
import { OwnWrites } from '../api/own-writes.ts';
import { PositionTokens } from '../api/position-tokens.ts';
import { systemTenant } from '../domain/access/context.ts';
import type { CommandSide } from './command-side.ts';
import { openContentRouting } from './content-routing.ts';
import { systemCommandContext, type Process } from './process.ts';
import type { LogProofs } from '../tlog/log-proofs.ts';
import { openDocumentReader } from './documents.ts';
import { openPast } from './past.ts';
import type { Learning } from './policies.ts';
import type { ReadSide } from './read-side.ts';
import { observeSummaryReads } from './summaries.ts';
import { assembleSearches } from './searches.ts';

/** The role `api`: the services that answer requests. The HTTP server is started after all roles. */
export function openApi(
  own: Process,
  commandSide: CommandSide,
  readSide: ReadSide,
  learning: Learning,
  proofs: LogProofs,
): Api {
  const { config, logger, metrics, cleanup } = own;
  const { vault, store, commands, directory, ledger, prices } = commandSide;
  const { embedders, models, retrieval, surfaces, operations } = readSide;
  const facts = new FactQueue(commands, {
    onDropped: (count, error) => logger.error({ count, err: error }, 'retrieval facts were dropped'),
  });
  cleanup.add(() => facts.flush());
  observeFacts(metrics.meter, facts);
  const admission = new Admission(new LimitsDirectory(store), config.turns, config.ceilings);
  observeAdmission(metrics.meter, admission);
  const bulkPace = new BulkPace(async () => readVectorLag(models, store.log), config.maxVectorLag);
  const routing = new RoutingDirectory(store, { routing: !config.routing, reasoning: !config.reasoning });
  const contentRouting = openContentRouting(own, commandSide, readSide);
  const policies = new PolicyReader(models);
  const { search, multiHop } = assembleSearches({
    config,
    logger,
    meter: metrics.meter,
    models,
    retrieval,
    surfaces,
    vault,
    policies: new PolicyDirectory((tenant) => policies.history(tenant)),
    routing,
    languageModel: guardedLanguageModel(own),
  });
  cleanup.add(() => search.settle());
  const authenticator = new Authenticator({
    directory,
    masterKey: config.masterKey,
    jwt: config.jwt,
    development: config.profile === 'embedded' && isLoopback(config.host),
  });
  const onSummariesRead = observeSummaryReads(own);
  const blocks = new ContextBlocks({
    models,
    embedders,
    clock: systemClock,
    settingsOf: (tenant) => readSummarySettings(store, tenant),
    idOf: (tenant, scope) => summaryIdOf(vault, tenant, scope),
    onRead: onSummariesRead,
  });
  const demand = new SummaryDemand({
    commands,
    models,
    context: systemCommandContext('summaries'),
    windowMs: config.summaryWindowMs,
    onFailure: (error) => logger.warn({ err: error }, 'the summaries of a session could not be asked for'),
  });
  cleanup.add(() => demand.settle());
  const past = openPast(own, commandSide, readSide, search);
  const whatIfs = new WhatIfComputations({ past, store });
  cleanup.add(() => whatIfs.close());
  const services = {
    about: {
      version: packageVersion(),
      environment: config.environment,
      operations: bindings.map(({ operation }) => operation),
    },
    admission,
    bulkPace,
    past,
    whatIfs,
    demand,
    commands,
    documentReader: openDocumentReader(own),
    facts,
    models,
    ownWrites: new OwnWrites(models),
    positions: new PositionTokens(
      store.log.logId,
      commands.vault.pseudonym('position', systemTenant, store.log.logId),
    ),
    surfaces,
    ledger,
    summariesCost: config.languageModel !== undefined && config.abstractiveSummaries,
    summaries: new SummaryReader({
      models,
      embedders,
      clock: systemClock,
      onRead: onSummariesRead,
    }),
    traces: new TraceReader(models, embedders),
    lessons: new LessonReader(models),
    experience: new ExperienceReader(models),
    policies,
    ...learning,
    directory,
    operations,
    search: new SearchAnyTime(search, past),
    multiHop,
    contexts: new ContextAnyTime(
      new ContextBuilder({ search, models, tokenizer: o200k, clock: systemClock, blocks }),
      past,
      models,
    ),
    conflicts: new ConflictFinder(models, retrieval),
    routing,
    contentRouting: contentRouting.directory,
    contentRouter: contentRouting.router,
    ingestRoots: config.sources.ingestRoots,
    questionSpaces: new QuestionSpaces({ models, search: retrieval, spaces: commands.spaces }),
    embedders,
    languageModels: languageModelsOf(config),
    prices,
    tokenizer: o200k,
    proofs,
    outOfReach: outOfReach(config),
  };
  const { topicPrefix } = config.kafka;
  return {
    services,
    authenticator,
    topicPrefix,
    version: services.about.version,
    tlogIsPublic: config.tlog.isPublic,
    hasConsole: config.console,
  };
}

function languageModelsOf({ languageModel }: Config): readonly ConfiguredModel[] {
  if (!languageModel) return [];
  const provider = new URL(languageModel.baseURL).host;
  return modelNames({ languageModel }).map((id) => ({ id, provider }));
}

/** Throws `ConfigError` if the API would listen beyond loopback while no credential can exist. */
export async function assertSafeToListen(
  { roles, host, masterKey, jwt }: Config,
  directory: TenantDirectory,
): Promise<void> {
  if (!roles.includes('api') || isLoopback(host) || masterKey !== undefined || jwt) return;
  if (await directory.anyKeyEver()) return;
  throw new ConfigError(
    `STRATALOG_HOST: ${host} can be reached from other machines, so a credential is needed: set STRATALOG_MASTER_KEY and create keys with it`,
  );
}

/** The breaker is outside of the metrics, so that a call that it refuses is not counted. */
function guardedLanguageModel({ config, logger, metrics }: Process): LanguageModelFor | undefined {
  const opened = openLanguageModel(config);
  if (!opened) return undefined;
  const counted = observed(tracedLanguageModel(opened), languageModelMetrics(metrics.meter));
  const guard = new ModelGuard(counted, (tenant, model) =>
    logger.warn({ tenant, model }, 'too many calls of a language model failed: it is not called for a while'),
  );
  observeModelGuard(metrics.meter, 'questions', guard);
  return (tenant) => guard.of(tenant);
}
