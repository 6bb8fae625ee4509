import { LRUCache } from 'lru-cache';
import type { CommandContext, CommandServices } from '../../commands/context.ts';
import { readSummarySettings } from '../../commands/summaries/configure-summaries.ts';
import { demandSummary } from '../../commands/summaries/demand-summary.ts';
import type { TenantContext } from '../../domain/access/context.ts';
import { isVisible, visibilityKeys, visible } from '../../domain/access/visibility.ts';
import type { Layer, Scope } from '../../domain/layers.ts';
import { summaryScopeKey, summaryScopeOf, type SummaryScope } from '../../domain/summaries/summary-scope.ts';
import type { ReadModels } from '../../queries/read-models.ts';
import { readScopeHashes } from '../../queries/summaries/scope-hashes.ts';
import { scopeModels } from '../../queries/summaries/scope-state.ts';

export interface SummaryDemandDependencies {
  readonly commands: CommandServices;
  readonly models: ReadModels;
  /** Context of the system, which asks for the summaries. */
  readonly context: CommandContext;
  readonly windowMs: number;
  readonly onFailure: (error: unknown) => void;
}

/**
 * After a look at a scope, the next one waits this many times as long as that took, and at most one window: a look reads the whole scope,
 * and contexts may come in close succession.
 */
const restFactor = 20;
const maxRests = 10_000;

/** Requests the summaries that a context needs and that are missing or stale, so that the next context has them. */
export class SummaryDemand {
  readonly #dependencies: SummaryDemandDependencies;
  readonly #running = new Map<string, Promise<void>>();
  /** The time of the next look at each scope (`performance.now`). */
  readonly #rests = new LRUCache<string, number>({ max: maxRests });

  constructor(dependencies: SummaryDemandDependencies) {
    this.#dependencies = dependencies;
  }

  /** Returns at once. A failure is reported; a later context asks again. */
  add({ caller: { tenant }, correlationId, traceId }: CommandContext, scopes: readonly SummaryScope[]): void {
    const { context, onFailure, windowMs } = this.#dependencies;
    const own = {
      ...context,
      caller: { ...context.caller, tenant },
      correlationId,
      ...(traceId !== undefined && { traceId }),
    };
    for (const scope of scopes) {
      const key = JSON.stringify([tenant, summaryScopeKey(scope), scope.person]);
      const started = performance.now();
      if (this.#running.has(key) || started < (this.#rests.get(key) ?? 0)) continue;
      const running = this.#demand(own, scope)
        .catch(onFailure)
        .finally(() => {
          const ended = performance.now();
          this.#rests.set(key, ended + Math.min(windowMs, restFactor * (ended - started)));
          this.#running.delete(key);
        });
      this.#running.set(key, running);
    }
  }

  /** Resolves when nothing is under way. */
  async settle(): Promise<void> {
    await Promise.all(this.#running.values());
  }

  async #demand(context: CommandContext, summarized: SummaryScope): Promise<void> {
    const { commands, models, windowMs } = this.#dependencies;
    const { layer, person } = summarized;
    const { tenant } = context.caller;
    if (person && !(await readSummarySettings(commands.store, tenant))[layer].personalized) return;
    const [hash] = await models.read({ projections: scopeModels }, (view) =>
      readScopeHashes(models.sql, view, tenant, [summarized]),
    );
    await demandSummary(commands, context, { summarized, hash: hash!, windowMs });
  }
}

/**
 * The summaries that are made because of a context: of its session and its agent, as far as the caller may see them, and the caller's
 * variants of those shared scopes that matter for the question.
 */
export function personalScopes(
  caller: TenantContext,
  { sessionId, scope = {}, layers }: ContextPlace,
  matters: readonly SummaryScope[],
): readonly SummaryScope[] {
  const { user = caller.user, session = sessionId, agent = caller.agent } = scope;
  const identifiers = { ...(user !== undefined && { user }) };
  const visibility = visible(caller);
  const own = [
    ...(session === undefined ? [] : [{ layer: 'session' as const, scope: { ...identifiers, session } }]),
    ...(agent === undefined ? [] : [{ layer: 'agent' as const, scope: { ...identifiers, agent } }]),
  ]
    .map(summaryScopeOf)
    .filter((one) => isVisible(visibility, one) && (!layers || layers.includes(one.layer)));
  if (caller.user === undefined) return own;
  const person = { user: caller.user };
  const shared = matters.filter(({ layer }) => !visibilityKeys(layer).includes('user'));
  return [...own, ...shared.map((one) => ({ ...one, person }))];
}

interface ContextPlace {
  readonly sessionId?: string | undefined;
  readonly scope?: Scope | undefined;
  readonly layers?: readonly Layer[] | undefined;
}
