import { expect, it } from 'vitest';
import { Stratalog } from '../../packages/client/src/index.ts';
import { openApiDocument } from '../../src/http/openapi.ts';
import { bindings } from '../../src/http/bindings/index.ts';
import { fakeFetch, json } from '../support/fake-fetch.ts';

/** For supervisors and scrapers, not for programs that use the memory. */
const without = ['GET /livez', 'GET /metrics'];

/** One call of each method; path parameters are their own names. */
const callsOf = (
  client: Stratalog,
  { memories, reasoning, summaries, spaces, documents, sources, duplicates, reviews, audit, admin } = client,
) => [
  client.search({ query: 'a' }),
  client.explainSearch({ query: 'a' }),
  client.context({ query: 'a', tokenBudget: 1 }),
  client.converse({ messages: [{ role: 'a', content: 'a' }] }),
  client.outcome('{searchId}', { used: [] }),
  client.endSession('{id}'),
  client.stats(),
  client.models(),
  client.whoami(),
  memories.store({ content: 'a' }),
  memories.put('{externalId}', { content: 'a' }),
  memories.bulk([{ content: 'a' }]).next(),
  memories.list().page(),
  memories.get('{id}'),
  memories.update('{id}', {}),
  memories.delete('{id}'),
  memories.erase('{id}'),
  memories.restore('{id}'),
  memories.archive('{id}'),
  memories.unarchive('{id}'),
  memories.history('{id}').page(),
  memories.surfaces('{id}'),
  memories.related('{id}'),
  memories.link('{id}', '{type}' as 'related', '{target}'),
  memories.unlink('{id}', '{type}' as 'related', '{target}'),
  memories.feedback('{id}', { kind: 'outdated' }),
  memories.validate({ ids: [] }),
  reasoning.multiHop({ query: 'a' }),
  reasoning.record({ query: 'a', approach: 'a', outcome: 'success', memoriesUsed: [] }),
  reasoning.history({ query: 'a' }),
  reasoning.search({ query: 'a' }),
  reasoning.strategies().page(),
  summaries.list().page(),
  summaries.get({ layer: 'company', depth: 'sentence' }),
  summaries.refresh({ layer: 'company', scope: {} }),
  spaces.list(),
  spaces.get('{id}'),
  spaces.stats('{id}'),
  spaces.put('{id}'),
  spaces.update('{id}', {}),
  spaces.delete('{id}'),
  spaces.configure({ strict: true }),
  documents.add({ text: 'a' }),
  documents.put('{externalId}', { text: 'a' }),
  documents.list().page(),
  documents.get('{id}'),
  documents.memories('{id}').page(),
  documents.text('{id}'),
  documents.delete('{id}'),
  documents.restore('{id}'),
  documents.reprocess('{id}'),
  sources.list(),
  sources.get('{id}'),
  sources.put('{id}', { type: 'rss', schedule: '@daily', layer: 'company' }),
  sources.update('{id}', {}),
  sources.delete('{id}'),
  sources.run('{id}'),
  duplicates.list().page(),
  duplicates.resolve('{id}', { resolution: 'keep_all' }),
  reviews.list().page(),
  reviews.decide('{id}', { decision: 'approve' }),
  reviews.decideAll({ ids: ['a'], decision: 'approve' }),
  audit.events().page(),
  audit.stream().next(),
  audit.follow().next(),
  audit.csv().next(),
  audit.search('{searchId}'),
  audit.replay('{searchId}'),
  audit.whatIf({ without: { actor: 'a' }, query: 'a' }),
  audit.heads().page(),
  audit.checkpoint(),
  audit.keepCosignature({ note: 'a', witnessKey: 'a' }),
  audit.proof('{position}'),
  audit.verify(),
  admin.keys.create({ role: 'admin' }),
  admin.keys.list().page(),
  admin.keys.revoke('{id}'),
  admin.projections.list(),
  admin.projections.rebuild('{name}'),
  admin.projections.switch('{name}'),
  admin.projections.rollback('{name}'),
  admin.projections.retry('{name}', { stream: 'a' }),
  admin.projections.skip('{name}', { stream: 'a' }),
  admin.facts.get(),
  admin.facts.rebuild(),
  admin.facts.switch(),
  admin.facts.rollback(),
  admin.experience.get(),
  admin.experience.set({ enabled: true, share: 1, exploration: true }),
  admin.limits.get(),
  admin.limits.set({}),
  admin.contentRouting.get(),
  admin.contentRouting.set({ rules: [] }),
  admin.trust.get(),
  admin.trust.set({}),
  admin.routing.get(),
  admin.routing.update({}),
  admin.routing.killSwitch(),
  admin.policies.list(),
  admin.policies.evaluation('{version}'),
  admin.policies.promote('{version}'),
  admin.policies.rollback('{version}'),
  admin.policies.train(),
  admin.summaries.get('{layer}' as 'team'),
  admin.summaries.set('{layer}' as 'team', { depths: ['sentence'], skipIfUnchanged: true }),
  admin.erasures.eraseSubject('{id}', { reason: 'a' }),
  admin.erasures.eraseTenant('{id}', { confirm: 'a', reason: 'a' }),
  admin.erasures.get('{id}'),
  admin.budgets.get(),
  admin.budgets.set({ period: 'month' }),
];

it('[J3] the client has a method for each call of the API, and no other', async () => {
  const script = fakeFetch(json({ items: [] }));
  const client = new Stratalog({ url: 'http://server', fetch: script.fetch });
  await Promise.all([...callsOf(client), client.readiness()]);
  const called = script.sent.map(({ method, url }) => `${method} ${decodeURIComponent(url.pathname)}`);
  const documented = Object.entries(openApiDocument(bindings).paths ?? {}).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect([...new Set(called)].sort()).toEqual(documented.filter((call) => !without.includes(call)).sort());
});

it('[J3] sends an idempotency key with each command, and a position with each read that takes one', async () => {
  const script = fakeFetch(json({ items: [], position: 'aaaaaaaaaaaa-1' }));
  const client = new Stratalog({ url: 'http://server', fetch: script.fetch });
  client.remember('aaaaaaaaaaaa-1');
  await Promise.all(callsOf(client));
  for (const { method, url, headers, body } of script.sent) {
    const path = decodeURIComponent(url.pathname);
    const binding = bindings.find(
      (one) => one.method.toUpperCase() === method && one.path.replaceAll(/:(\w+)/g, '{$1}') === path,
    )!;
    const call = `${method} ${path}`;
    expect(headers.has('idempotency-key'), call).toBe(binding.operation.command !== undefined);
    // The state of the read models is not a read of them.
    const takesPosition = 'minPosition' in binding.operation.input.shape && !path.endsWith('/projections');
    const named = url.searchParams.get('minPosition') ?? (body as { minPosition?: string })?.minPosition;
    expect(named !== undefined, call).toBe(takesPosition);
  }
});
