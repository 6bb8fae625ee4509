import type { AuditEvent } from '../../packages/client/src/index.ts';
import { RangeCounter } from '../../src/cli/report/range-counter.ts';
import type { ReportData } from '../../src/cli/report/report-data.ts';

export const sampleRange = {
  from: new Date('2026-11-01T00:00:00.000Z'),
  to: new Date('2026-12-01T00:00:00.000Z'),
};

/** An event as the audit shows it, on the given day of November 2026. */
export function auditEvent(
  type: string,
  data: Record<string, unknown> = {},
  { day = 2, actor = 'user:ada', onBehalfOf }: { day?: number; actor?: string; onBehalfOf?: string } = {},
): AuditEvent {
  return {
    id: `event-${type}-${day}`,
    type,
    stream: 'stream-acme.1',
    revision: 0,
    position: 'p-1',
    at: `2026-11-${String(day).padStart(2, '0')}T09:00:00.000Z`,
    actor,
    principal: 'key',
    cause: 'user',
    correlationId: 'c',
    hash: 'h',
    data,
    ...(onBehalfOf !== undefined && { onBehalfOf }),
  };
}

const spent = { requests: 1, inputTokens: 100, outputTokens: 10, usd: 0.25, priced: false };
const figures = {
  decisions: 100,
  deviating: 1,
  matched: 50,
  opposed: 50,
  effectiveSize: 50,
  ips: { value: 0.1 },
  snips: { value: 0.1 },
  doublyRobust: { value: 0.1 },
  interval: [0.05, 0.15],
};
const noSearches = { searches: 0, successes: 0, partial: 0, failures: 0 };
const amounts = { active: 1, archived: 0, deleted: 0, characters: 9, bytes: 9 };

/** A report in which every text that a person, a file or a server can choose is `name`. */
export function sampleReport(name: string): ReportData {
  const counter = new RangeCounter(sampleRange);
  const events = [
    auditEvent('MemoryStored', { memoryId: name, trust: { state: 'quarantined' } }, { actor: name }),
    auditEvent('SearchPerformed', { results: [] }, { actor: name, onBehalfOf: name }),
    auditEvent('MemoryDeleted', { memoryId: name, because: name }),
    auditEvent('ErasureRequested', { erasureId: name, target: { kind: 'tenant', tenant: name } }),
    auditEvent('ApiKeyCreated', { keyId: name, role: name, user: name }),
    auditEvent('DocumentRefused', { documentId: name, code: name }),
    auditEvent('SpaceConfigured', { spaceId: name }),
    auditEvent('ProjectionSwitched', { projection: name, from: 1, to: 2 }),
    auditEvent('MemoryReviewed', { memoryId: name, decision: name, other: name }),
    auditEvent('PolicyCompared', { version: name, incumbent: name, verdict: name, reason: name, figures }),
    auditEvent('OutcomeObserved', { kind: name }),
    auditEvent('CostIncurred', { purpose: name, model: name, ...spent }),
    auditEvent(name),
  ];
  for (const event of events) counter.add(event);
  const range = counter.figures();
  const reader = { name, position: 1, lag: 0, lock: 'here', parked: 1 } as const;
  const proven = { ...range.first!, leaf: 0, size: 20, proof: name, verified: true };
  return {
    writtenAt: '2026-12-01T08:00:00.000Z',
    writtenWith: name,
    server: { url: name, version: name, environment: name },
    tenant: name,
    caller: { role: 'auditor', user: name, credential: 'key' },
    from: sampleRange.from.toISOString(),
    to: sampleRange.to.toISOString(),
    range,
    readiness: {
      status: 'ready',
      profile: name,
      roles: ['api'],
      identity: 'credentials',
      log: { head: 20, position: name },
      projections: [reader],
      reactors: [reader],
      backEnds: { [name]: { state: 'up', version: name } },
      embedder: { model: name, state: 'up' },
    },
    parked: { items: [{ by: name, stream: name, type: name }] },
    stats: {
      tenant: name,
      coverage: 'tenant',
      total: amounts,
      layers: [{ layer: 'user', ...amounts }],
      spaces: [{ space: name, ...amounts }],
      access: { total: 1, memories: 1 },
      feedback: { total: 0 },
      position: name,
    },
    policies: {
      inForce: name,
      candidate: name,
      decisions: 100,
      exploration: 0,
      looks: 0,
      needed: 50,
      items: [
        {
          version: name,
          state: 'in-force',
          bootstrap: false,
          figures,
          comparedWith: name,
          observed: { decisions: 100, days: [{ day: '2026-11-02', decisions: 100, reward: 0.5 }], arms: [] },
        },
      ],
    },
    evaluation: {
      version: name,
      incumbent: name,
      comparedWith: name,
      looks: 0,
      needed: 20,
      verdict: 'keep-collecting',
      reason: name,
      figures,
    },
    experience: {
      settings: { enabled: true, share: 1, exploration: true },
      total: { with: noSearches, without: noSearches },
      days: [{ day: '2026-11-02', with: noSearches, without: noSearches }],
      position: name,
    },
    providers: { items: { [name]: name } },
    budget: { unreadable: name },
    spaceBudgets: { items: [{ space: name, period: 'day', usd: 1, spent: 0.5 }] },
    receipts: {
      [name]: {
        state: 'complete',
        completedAt: '2026-11-03T00:00:00.000Z',
        places: 2,
        pending: 0,
        signed: true,
      },
    },
    proof: {
      heads: {
        origin: name,
        verifierKey: name,
        restoredFrom: [{ origin: name, size: 3 }],
        last: { size: 20, root: name, at: '2026-12-01T07:59:00.000Z', note: name, cosignedBy: [name] },
      },
      first: proven,
      last: proven,
      verification: {
        state: 'unsound',
        events: 20,
        heads: 1,
        first: { position: name, fault: 'changed', detail: name },
      },
    },
  };
}
