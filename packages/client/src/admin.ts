import type * as api from './api-types.ts';
import type { CallOptions, CommandOptions } from './options.ts';
import { PagedList } from './paged-list.ts';
import { path } from './request.ts';
import { Experience } from './reasoning.ts';
import { SummaryConfiguration } from './summaries.ts';
import type { Transport } from './transport.ts';

/** `/v1/admin/keys`. */
export class Keys {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Create a key, which is shown only once. The first one of a tenant creates the tenant. */
  create(key: api.CreateKey, options?: CommandOptions): Promise<api.CreateKeyAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/admin/keys', body: key, changes: true },
      options,
    );
  }

  /** List the keys of the tenant, without their secrets. `await` returns one page, `for await` iterates over all. */
  list(query: api.ListKeysQuery = {}, options?: CallOptions): PagedList<api.ApiKey, api.ListKeysAnswer> {
    return new PagedList((page) => {
      const asked = { ...query, ...page };
      return this.#transport.call(
        { method: 'GET', path: '/v1/admin/keys', query: asked, reads: 'query' },
        options,
      );
    }, query);
  }

  revoke(id: string, options?: CommandOptions): Promise<api.RevokeKeyAnswer> {
    return this.#transport.call(
      { method: 'DELETE', path: path`/v1/admin/keys/${id}`, changes: true },
      options,
    );
  }
}

/** `/v1/admin/facts`: the facts of conversations, made anew and switched like the generations of a read model. */
export class Facts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Which facts are live, and how those that were drawn last differ from them. */
  get(options?: CallOptions): Promise<api.Facts> {
    return this.#transport.call({ method: 'GET', path: '/v1/admin/facts' }, options);
  }

  /** Draw the facts of all conversations again, beside the live ones; `get` shows the progress. */
  rebuild(rebuild: api.RebuildFacts = {}, options?: CommandOptions): Promise<api.RebuildFactsAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/admin/facts/rebuild', body: rebuild, changes: true },
      options,
    );
  }

  switch(options?: CommandOptions): Promise<api.SwitchFactsAnswer> {
    return this.#transport.call({ method: 'POST', path: '/v1/admin/facts/switch', changes: true }, options);
  }

  rollback(options?: CommandOptions): Promise<api.RollbackFactsAnswer> {
    return this.#transport.call({ method: 'POST', path: '/v1/admin/facts/rollback', changes: true }, options);
  }
}

/** `/v1/admin/projections`: the read models and the reactors. */
export class Projections {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** All read models with their generations, and all reactors, with positions and parked streams. */
  list(query: api.ListProjectionsQuery = {}, options?: CallOptions): Promise<api.ListProjectionsAnswer> {
    return this.#transport.call({ method: 'GET', path: '/v1/admin/projections', query }, options);
  }

  /** Start a rebuild beside the live generation; `list` shows its progress. */
  rebuild(
    name: string,
    rebuild: api.RebuildProjectionBody = {},
    options?: CommandOptions,
  ): Promise<api.RebuildProjectionAnswer> {
    return this.#command(name, 'rebuild', rebuild, options);
  }

  /** Switch queries to the rebuilt generation. */
  switch(name: string, options?: CommandOptions): Promise<api.SwitchProjectionAnswer> {
    return this.#command(name, 'switch', {}, options);
  }

  /** Cancel a running rebuild, or switch queries back to the previous generation. */
  rollback(name: string, options?: CommandOptions): Promise<api.RollbackProjectionAnswer> {
    return this.#command(name, 'rollback', {}, options);
  }

  /** Retry a parked stream. */
  retry(
    name: string,
    parked: api.RetryParkedStreamBody,
    options?: CommandOptions,
  ): Promise<api.RetryParkedStreamAnswer> {
    return this.#command(name, 'retry', parked, options);
  }

  /** Skip the event that a parked stream waits for. */
  skip(
    name: string,
    parked: api.SkipParkedEventBody,
    options?: CommandOptions,
  ): Promise<api.SkipParkedEventAnswer> {
    return this.#command(name, 'skip', parked, options);
  }

  #command<Answer>(name: string, act: string, body: object, options?: CommandOptions): Promise<Answer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/admin/projections/${name}/${act}`, body, changes: true },
      options,
    );
  }
}

/** Erasures and their receipts. */
export class Erasures {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Erase everything about a person. What is stored about the person later is not affected. */
  eraseSubject(
    id: string,
    body: api.EraseSubject,
    options?: CommandOptions,
  ): Promise<api.EraseSubjectAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/subjects/${id}/erase`, body, changes: true },
      options,
    );
  }

  /** Erase everything of a tenant, with the master key. `confirm` is the name of the tenant again. */
  eraseTenant(
    tenant: string,
    body: api.EraseTenant,
    options?: CommandOptions,
  ): Promise<api.EraseTenantAnswer> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/admin/tenants/${tenant}/erase`, body, changes: true },
      options,
    );
  }

  /** The receipt of an erasure, which may still be running. */
  get(id: string, query: api.GetErasureQuery = {}, options?: CallOptions): Promise<api.Erasure> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/erasures/${id}`, query, reads: 'query' },
      options,
    );
  }
}

/** How complex questions are routed. */
export class Routing {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(query: api.RoutingQuery = {}, options?: CallOptions): Promise<api.Routing> {
    return this.#transport.call({ method: 'GET', path: '/v1/admin/routing', query, reads: 'query' }, options);
  }

  update(change: api.RoutingChange, options?: CommandOptions): Promise<api.ConfigureRoutingAnswer> {
    return this.#transport.call(
      { method: 'PATCH', path: '/v1/admin/routing', body: change, changes: true },
      options,
    );
  }

  /** Engage or release the kill switch, which sends all questions of all tenants to the standard search. */
  killSwitch(body: api.KillSwitchBody = {}, options?: CommandOptions): Promise<api.KillSwitchAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/admin/policies/kill-switch', body, changes: true },
      options,
    );
  }
}

/** What the tenant may spend on language models and remote embedding models. */
export class Budgets {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(query: api.BudgetsQuery = {}, options?: CallOptions): Promise<api.Budget> {
    return this.#transport.call({ method: 'GET', path: '/v1/admin/budgets', query, reads: 'query' }, options);
  }

  /** Replaces the budget; a limit that is left out is off. */
  set(budget: api.ConfigureBudget, options?: CommandOptions): Promise<api.ConfigureBudgetAnswer> {
    return this.#transport.call(
      { method: 'PUT', path: '/v1/admin/budgets', body: budget, changes: true },
      options,
    );
  }
}

/** `/v1/admin/policies`: the policies that choose the route of a question. */
export class Policies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The versions with their figures. */
  list(query: api.PoliciesQuery = {}, options?: CallOptions): Promise<api.Policies> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/admin/policies', query, reads: 'query' },
      options,
    );
  }

  /** Compare a version with the one in force, and that one with the one before it. */
  evaluation(version: string, options?: CallOptions): Promise<api.PolicyEvaluation> {
    return this.#transport.call(
      { method: 'GET', path: path`/v1/admin/policies/${version}/evaluation` },
      options,
    );
  }

  /** Let a version choose all routes. Fails with `not-proven` unless it is proven to be better, or an admin forces it. */
  promote(
    version: string,
    body: api.PromotePolicyBody = {},
    options?: CommandOptions,
  ): Promise<api.ChangedTraffic> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/admin/policies/${version}/promote`, body, changes: true },
      options,
    );
  }

  /** Take a version out of traffic: the one before it chooses the routes again. */
  rollback(version: string, options?: CommandOptions): Promise<api.ChangedTraffic> {
    return this.#transport.call(
      { method: 'POST', path: path`/v1/admin/policies/${version}/rollback`, body: {}, changes: true },
      options,
    );
  }

  /** Let the policy learn from finished decisions at once, or with `bootstrap` from synthetic ones. */
  train(body: api.TrainPolicyBody = {}, options?: CommandOptions): Promise<api.TrainPolicyAnswer> {
    return this.#transport.call(
      { method: 'POST', path: '/v1/admin/policies/train', body, changes: true },
      options,
    );
  }
}

/** What the callers of the tenant may ask for. */
export class Limits {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(query: api.LimitsQuery = {}, options?: CallOptions): Promise<api.LimitsAnswer> {
    return this.#transport.call({ method: 'GET', path: '/v1/admin/limits', query, reads: 'query' }, options);
  }

  /** Replace all limits. */
  set(limits: api.Limits, options?: CommandOptions): Promise<api.ConfigureLimitsAnswer> {
    return this.#transport.call(
      { method: 'PUT', path: '/v1/admin/limits', body: limits, changes: true },
      options,
    );
  }
}

/** `/v1/admin/trust`: what waits for a review, and who reviews. */
export class TrustPolicies {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  get(query: api.GetTrustQuery = {}, options?: CallOptions): Promise<api.GetTrustAnswer> {
    return this.#transport.call({ method: 'GET', path: '/v1/admin/trust', query, reads: 'query' }, options);
  }

  /** Replace the whole policy. */
  set(policy: api.TrustPolicy, options?: CommandOptions): Promise<api.PutTrustAnswer> {
    return this.#transport.call(
      { method: 'PUT', path: '/v1/admin/trust', body: policy, changes: true },
      options,
    );
  }
}

/** `/v1/admin/content-routing`: which documents without spaces go to which. */
export class ContentRoutingRules {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** The rules in force: those of the tenant, or else those of the presets of its spaces. */
  get(query: api.ContentRoutingQuery = {}, options?: CallOptions): Promise<api.ContentRoutingAnswer> {
    return this.#transport.call(
      { method: 'GET', path: '/v1/admin/content-routing', query, reads: 'query' },
      options,
    );
  }

  /** Replace all rules. */
  set(routing: api.ContentRouting, options?: CommandOptions): Promise<api.PutContentRoutingAnswer> {
    return this.#transport.call(
      { method: 'PUT', path: '/v1/admin/content-routing', body: routing, changes: true },
      options,
    );
  }
}

/** `/v1/admin`. */
export class Admin {
  readonly keys: Keys;
  readonly projections: Projections;
  readonly facts: Facts;
  readonly limits: Limits;
  readonly trust: TrustPolicies;
  readonly routing: Routing;
  readonly contentRouting: ContentRoutingRules;
  readonly summaries: SummaryConfiguration;
  readonly experience: Experience;
  readonly budgets: Budgets;
  readonly policies: Policies;
  readonly erasures: Erasures;

  constructor(transport: Transport) {
    this.keys = new Keys(transport);
    this.projections = new Projections(transport);
    this.facts = new Facts(transport);
    this.limits = new Limits(transport);
    this.trust = new TrustPolicies(transport);
    this.routing = new Routing(transport);
    this.contentRouting = new ContentRoutingRules(transport);
    this.summaries = new SummaryConfiguration(transport);
    this.experience = new Experience(transport);
    this.budgets = new Budgets(transport);
    this.policies = new Policies(transport);
    this.erasures = new Erasures(transport);
  }
}
