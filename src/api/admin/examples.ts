import type { Limits } from '../../domain/admission/limits.ts';
import { defaultSettings } from '../../domain/routing/settings.ts';
import { at, position } from '../example-values.ts';

/** One input and one output of each administrative operation, as documentation shows them. */

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
  reactors: [
    {
      name: 'erasures',
      lock: 'here',
      position: 4_208,
      lag: 3,
      parked: [
        {
          stream: 'memory-acme.019a0c3e-7c1b-7a40-9d4f-2f6a5f3f9b10',
          position: 4_100,
          type: 'MemoryErased',
          error: 'the vault does not answer',
        },
      ],
    },
  ],
};

export const rebuildExample = { embedder: 'multilingual-e5-small', queries: ['When are releases cut?'] };

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

export const limitsExample = {
  perKey: { unitsPerSecond: 20, burst: 100, concurrency: 16 },
  perTenant: { unitsPerSecond: 100 },
  byRole: { auditor: { unitsPerSecond: 2 } },
} satisfies Limits;
