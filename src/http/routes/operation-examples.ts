import { defaultSettings } from '../../domain/routing/settings.ts';

/** One body and one answer of each shape for those who run Stratalog, as the OpenAPI document shows it. */

const position = '92edf2a77f45-1c';
const at = '2026-05-04T09:30:00.000Z';

export const createKeyExample = { role: 'member', user: 'alice', teams: ['release'], name: 'laptop' };

export const createdKeyExample = {
  id: '4f1c2d7e9a0b4c5d8e6f1a2b3c4d5e6f',
  key: 'sl_acme.4f1c2d7e9a0b4c5d8e6f1a2b3c4d5e6f.q0vXy3o2kF7c1mD9hT4sL8bN6pR5wJ0uZ2eA1gKiYxM',
  position,
};

export const keysExample = {
  items: [
    {
      id: '4f1c2d7e9a0b4c5d8e6f1a2b3c4d5e6f',
      role: 'member',
      user: 'alice',
      orgs: [],
      teams: ['release'],
      projects: [],
      sessions: [],
      agents: [],
      name: 'laptop',
      createdAt: at,
    },
  ],
  nextCursor: 'UkJOdm8xV1paNG9SUnEwVy40ZjFjMmQ3ZTlhMGI0YzVkOGU2ZjFhMmIzYzRkNWU2Zg',
};

export const projectionsExample = {
  items: [
    {
      name: 'memories',
      generations: [
        {
          generation: 1,
          state: 'standby',
          signature: '1',
          active: false,
          lock: 'here',
          position: 4_211,
          lag: 0,
        },
        {
          generation: 2,
          state: 'live',
          signature: '1',
          active: true,
          lock: 'here',
          position: 4_211,
          lag: 0,
          digest: '1209:708654313187673577429',
          equal: true,
        },
      ],
      parked: [],
    },
  ],
};

export const rebuildExample = { embedder: 'bge-small-en-v1.5', queries: ['When are releases cut?'] };

export const rebuildAnswerExample = { projection: 'vectors', generation: 2, position };

export const switchedExample = { projection: 'memories', from: 1, to: 2, position };

export const parkedExample = { stream: 'memory-acme.019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10' };

export const retriedExample = { projection: 'memories', ...parkedExample, position };

export const skippedExample = { ...retriedExample, revision: 2, type: 'MemoryUpdated' };

export const routingExample = {
  settings: defaultSettings,
  killSwitch: false,
  switchedOff: false,
  reasoningSwitchedOff: false,
};

export const routingChangeExample = { threshold: 0.4, budgets: { wallMs: 3_000 } };

export const routingChangedExample = {
  settings: {
    ...routingExample.settings,
    threshold: routingChangeExample.threshold,
    budgets: { ...routingExample.settings.budgets, ...routingChangeExample.budgets },
  },
  position,
};

export const killSwitchExample = { engaged: true };

export const killSwitchAnswerExample = { ...killSwitchExample, position };

export const readinessExample = {
  status: 'ready',
  profile: 'embedded',
  roles: ['api', 'projector', 'worker'],
  identity: 'credentials',
  log: { head: 4_211 },
  projections: [{ name: 'memories', position: 4_211, lag: 0, lock: 'here', parked: 0 }],
  backEnds: {},
  embedder: { model: 'bge-small-en-v1.5-int8-6c9c6101', state: 'up' },
};

export const metricsExample = `# HELP stratalog_projection_parked Streams whose events a read model cannot apply
# TYPE stratalog_projection_parked gauge
stratalog_projection_parked{projection="memories"} 0
`;

export const problemExample = {
  type: 'urn:stratalog:problem:not-found',
  title: 'There is nothing here for this caller',
  status: 404,
  code: 'not-found',
  detail: 'no such memory',
  requestId: 'f0b0f7c4-6a60-4d3d-9a53-6b2a2c1f7e11',
};
