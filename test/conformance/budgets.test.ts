import { describe, expect, it } from 'vitest';
import { auditEvents } from '../support/events.ts';
import { expectInvalid, expectProblem } from '../support/problem.ts';
import { useSummarizingServer } from '../support/summarizing-server.ts';
import { newTenant } from '../support/tenant.ts';

const { server } = await useSummarizingServer();

const company = { layer: 'company', scope: {} };

describe('LLM Summarization Cost Control', () => {
  it('[E7] budgets are for operators and admins, and a wrong one says what is allowed', async () => {
    const tenant = await newTenant(server);
    const { admin } = tenant;
    const operator = await tenant.key({ role: 'operator' });
    const auditor = await tenant.key({ role: 'auditor' });
    const member = await tenant.key({ user: 'mia' });
    expect((await admin.get('/v1/admin/budgets')).body).toMatchObject({
      period: 'month',
      spent: { tokens: 0, usd: 0 },
      reserved: { tokens: 0, usd: 0 },
      resetsAt: expect.stringMatching(/^\d{4}-\d{2}-01T00:00:00\.000Z$/),
      exhausted: false,
    });
    const put = (budget: unknown) => operator.put('/v1/admin/budgets', budget);
    const { status, body } = await put({ period: 'day', tokens: 5_000, usd: 0.25 });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { period: 'day', tokens: 5_000, usd: 0.25 },
    });
    const read = await auditor.get(`/v1/admin/budgets?minPosition=${body.position}`);
    expect(read.body).toMatchObject({ period: 'day', tokens: 5_000, usd: 0.25, exhausted: false });
    const last = (await put({ period: 'day' })).body;
    expect(last.tokens).toBeUndefined();
    expectInvalid(await put({}), 'period');
    expectInvalid(await put({ period: 'week' }), 'period');
    expectInvalid(await put({ period: 'day', tokens: -1 }), 'tokens');
    expectInvalid(await put({ period: 'day', tokens: 1.5 }), 'tokens');
    expectInvalid(await put({ period: 'day', usd: -0.01 }), 'usd');
    expectInvalid(await put({ period: 'day', eur: 1 }), 'eur');
    expectProblem(await member.get('/v1/admin/budgets'), 403, 'forbidden');
    expectProblem(await auditor.put('/v1/admin/budgets', { period: 'day' }), 403, 'forbidden');
    const configured = await auditEvents(admin, 'type=BudgetConfigured', last.position);
    expect(configured.map(({ data }) => data)).toEqual([
      { period: 'day', tokens: 5_000, usd: 0.25 },
      { period: 'day' },
    ]);
  });

  it('[E7] Per-tenant summarization budget: an explicit refresh over the budget is refused with the details', async () => {
    const { admin } = await newTenant(server);
    await admin.store({ ...company, content: 'Releases are cut on Mondays.' });
    await admin.put('/v1/admin/budgets', { period: 'month', tokens: 0 });
    for (let n = 0; n < 2; n++) {
      const refused = await admin.post('/v1/summaries/refresh', company);
      expectProblem(refused, 402, 'budget-exhausted');
      expect(refused.body).toMatchObject({
        limit: { tokens: 0 },
        spent: { tokens: 0, usd: 0 },
        resetsAt: expect.stringMatching(/-01T00:00:00\.000Z$/),
      });
    }
    expect((await admin.get('/v1/admin/budgets')).body.exhausted).toBe(true);
    // An answer to a repeated command is that of the first time, whatever the budget is now.
    const { position } = (await admin.put('/v1/admin/budgets', { period: 'month' })).body;
    expect(await auditEvents(admin, 'type=BudgetExhausted', position)).toMatchObject([
      { data: { purpose: 'summary', limit: { tokens: 0 } } },
    ]);
    const again = () => admin.post('/v1/summaries/refresh', company, { 'idempotency-key': 'once' });
    expect((await again()).status).toBe(202);
    await admin.put('/v1/admin/budgets', { period: 'month', tokens: 0 });
    expect((await again()).status).toBe(202);
    const costs = (await admin.get('/v1/stats')).body.costs;
    expect(costs).toMatchObject({ month: expect.stringMatching(/^\d{4}-\d{2}$/), models: [] });
  });
});
