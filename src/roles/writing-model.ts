import { modelNames, openLanguageModel } from '../backends/language-model.ts';
import type { CommandServices } from '../commands/context.ts';
import type { Ledger } from '../commands/ledger/ledger.ts';
import { commonLanguageModel } from '../domain/spaces/space-models.ts';
import { languageModelMetrics, observeModelGuard } from '../observability/telemetry.ts';
import { tracedLanguageModel } from '../observability/traced-language-model.ts';
import { BreakerOpen, ModelGuard } from '../queries/model-guard.ts';
import { observed } from '../queries/observed-language-model.ts';
import { ConsecutiveFailures } from '../support/resilience/circuit-breaker.ts';
import type { WriterParts } from '../reactors/writing-model.ts';
import type { Process } from './process.ts';

/** Failures in a row after which a model is not called for a while, and how long. */
const mostFailures = 3;
const breakerMs = 60_000;

/** The language model that writes `what`, such as summaries, with a breaker of its own; undefined if none is configured. */
export function openWritingModel(
  { config, logger, metrics }: Process,
  { ledger, spaces }: { readonly ledger: Ledger; readonly spaces: CommandServices['spaces'] },
  what: string,
): WriterParts | undefined {
  const { languageModel, summaryTimeoutMs: timeoutMs } = config;
  // The ledger reserves what one request and its correction can cost.
  const limits = { attempts: 1, requestMs: timeoutMs, deadlineMs: timeoutMs };
  const opened = openLanguageModel(config, limits);
  if (!languageModel || !opened) return undefined;
  const guard = new ModelGuard(
    observed(tracedLanguageModel(opened), languageModelMetrics(metrics.meter)),
    (tenant, model) =>
      logger.warn({ tenant, model }, `a language model fails: ${what} are made without it for a while`),
    undefined,
    { createRule: () => new ConsecutiveFailures(mostFailures), openMs: breakerMs },
  );
  observeModelGuard(metrics.meter, what, guard);
  return {
    ledger,
    languageModel: (tenant) => guard.of(tenant),
    models: { usual: languageModel.models.root, cheap: languageModel.cheapModel },
    async modelOfSpaces(tenant, labelsOfEach) {
      const model = commonLanguageModel(await spaces.of(tenant), labelsOfEach);
      return model !== undefined && modelNames(config).includes(model) ? model : undefined;
    },
    timeoutMs,
    onFailure: (error) => {
      // The opening of the breaker was already logged.
      if (!(error instanceof BreakerOpen))
        logger.info({ err: error }, `a language model did not write ${what}`);
    },
  };
}
