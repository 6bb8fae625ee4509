import { describe, expect, it } from 'vitest';
import type { Layer, Scope } from '../../src/domain/layers.ts';
import { isInScope } from '../support/in-scope.ts';

const memories: Record<string, { layer: Layer; scope: Scope }> = {
  company: { layer: 'company', scope: {} },
  org: { layer: 'org', scope: { org: 'o' } },
  team: { layer: 'team', scope: { team: 't', org: 'o' } },
  project: { layer: 'project', scope: { project: 'p' } },
  'other project': { layer: 'project', scope: { project: 'q' } },
  'team of the other project': { layer: 'team', scope: { team: 't', project: 'q' } },
  user: { layer: 'user', scope: { user: 'u' } },
  'user of p': { layer: 'user', scope: { user: 'u', project: 'p' } },
  session: { layer: 'session', scope: { session: 's', user: 'u' } },
  'session of p': { layer: 'session', scope: { session: 's', user: 'u', project: 'p' } },
  'session of q': { layer: 'session', scope: { session: 's', user: 'u', project: 'q' } },
  agent: { layer: 'agent', scope: { agent: 'a', user: 'u' } },
  'agent of nobody': { layer: 'agent', scope: { agent: 'a' } },
};

describe('a scope in a request', () => {
  it.each<[Scope, string[]]>([
    [{}, Object.keys(memories)],
    [{ project: 'p' }, ['company', 'org', 'team', 'project', 'user of p', 'session of p']],
    [{ project: 'p', user: 'u' }, ['company', 'org', 'team', 'project', 'user', 'user of p', 'session of p']],
    [
      { agent: 'a' },
      [
        'company',
        'org',
        'team',
        'project',
        'other project',
        'team of the other project',
        'agent',
        'agent of nobody',
      ],
    ],
    [{ org: 'o' }, ['company', 'org', 'team']],
    [
      { session: 's', user: 'u' },
      [
        'company',
        'org',
        'team',
        'project',
        'other project',
        'team of the other project',
        'user',
        'user of p',
        'session',
        'session of p',
        'session of q',
      ],
    ],
  ])('[I2] %j contains the memories that have its values, or may lack them', (scope, names) => {
    const found = Object.keys(memories).filter((name) => isInScope(scope, memories[name]!));
    expect(found.sort()).toEqual(names.sort());
  });
});
