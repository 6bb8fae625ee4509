import { describe, expect, it } from 'vitest';
import { drawArm, uniformOf } from '../../src/domain/learning/exploration.ts';
import type { Json } from '../support/api.ts';
import { asked, askingTenant, audited, type AskingTenant } from '../support/asked-searches.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer('deterministic');

describe('Record trajectory during RLM execution', () => {
  const complex = 'Compare how the build and the deploys differ across all teams';
  const decisionOf = async (setting: AskingTenant, body: Json) =>
    audited(setting, (await asked(setting, { query: complex, ...body })).searchId);

  it('[C4] [F1] records features, arms, propensities, the incumbent and the policy version', async () => {
    const setting = await askingTenant(server);
    const decision = await decisionOf(setting, { sessionId: 's' });
    const { arms, propensities, incumbent, features } = decision;
    expect(decision).toMatchObject({ policyVersion: 'rules-1', evaluation: expect.any(Boolean) });
    expect(arms).toEqual(['standard', 'decomposition']);
    expect(propensities[0] + propensities[1]).toBeCloseTo(1, 9);
    expect(Math.min(...propensities)).toBeGreaterThan(0);
    expect(incumbent).toBe('decomposition');
    expect(features).toMatchObject({ score: decision.score, threshold: 0.3 });
  });

  it('[C4] explores only where an outcome can be observed, and where the tenant allows it', async () => {
    const setting = await askingTenant(server);
    const only = { arms: ['decomposition'], propensities: [1], taken: 'decomposition', reason: 'complex' };
    expect(await decisionOf(setting, {})).toMatchObject(only);
    const first = await asked(setting);
    await setting.admin.post(`/v1/searches/${first.searchId}/outcome`, { used: [] });
    expect((await decisionOf(setting, { sessionId: 's' })).arms).toHaveLength(2);
    const forced = await decisionOf(setting, { sessionId: 's', mode: 'standard' });
    expect(forced).toMatchObject({ arms: ['standard'], propensities: [1], reason: 'asked-for-standard' });
    const reply = await setting.admin.patch('/v1/admin/routing', { exploration: false });
    expect(reply.body.settings.exploration).toBe(false);
    expect(await decisionOf(setting, { sessionId: 's' })).toMatchObject(only);
  });

  it('[C4] [D8] draws the route by a hash of the search id, and the answer does not show it', async () => {
    const setting = await askingTenant(server);
    const shapes = new Set<string>();
    for (let n = 0; n < 8; n++) {
      const answer = await asked(setting, { query: complex, sessionId: `s${n}` });
      shapes.add(Object.keys(answer).sort().join());
      const { arms, propensities, taken } = await audited(setting, answer.searchId);
      const uniform = uniformOf('route', answer.searchId.split('.')[0]);
      expect(taken).toBe(drawArm(arms, propensities, uniform));
    }
    expect(shapes.size).toBe(1);
  });
});
