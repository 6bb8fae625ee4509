import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { StoredMemory } from '../../packages/client/src/index.ts';
import { changeOptions } from '../../src/cli/memories/options.ts';
import { scopeOf } from '../../src/cli/scope-options.ts';
import { versionText } from '../../src/cli/memories/history.ts';
import { statsText } from '../../src/cli/memories/stats.ts';
import { validationText } from '../../src/cli/memories/validate.ts';
import { memoryLine, memoryText } from '../../src/cli/memories/show.ts';
import { logText, startText } from '../../src/cli/terminal.ts';

const at = '2026-11-25T09:00:00.000Z';
const plain = (text: string) => stripVTControlCharacters(text).split('\n');

const memory: StoredMemory = {
  id: '019a',
  content: 'Releases are cut\n\ton Tuesday.\u001b[31m',
  layer: 'team',
  scope: { company: 'acme', team: 'release' },
  spaces: [],
  tags: ['release', 'calendar'],
  metadata: { owner: 'ada' },
  createdAt: at,
  updatedAt: at,
  createdBy: 'user:ada',
  trust: { source: 'user', state: 'trusted', flags: [] },
  revision: 3,
  state: 'active',
  representations: {},
  importance: 0.5,
  feedback: { helpful: 0, irrelevant: 0, outdated: 0, inaccurate: 0, duplicate: 0 },
  accessCount: 0,
  affirmations: 0,
};

describe('a memory at a terminal', () => {
  it('[J4] shows non-default fields, then the content without control characters', () => {
    expect(plain(memoryText(memory))).toEqual([
      '019a  team  revision 3  active',
      'scope           company acme, team release',
      'tags            release, calendar',
      'metadata        {"owner":"ada"}',
      'created         2026-11-25T09:00:00.000Z by user:ada',
      '',
      'Releases are cut',
      '\ton Tuesday.\ufffd[31m',
    ]);
  });

  it('[J4] shows all other fields that it has', () => {
    const later = '2026-11-26T09:00:00.000Z';
    const known = {
      ...memory,
      externalId: 'handbook/releases',
      spaces: ['dev'],
      representations: { code: 'x' },
      occurredAt: at,
      updatedAt: later,
      state: 'deleted' as const,
      retentionUntil: later,
      accessCount: 2,
      lastAccessedAt: later,
    };
    const lines = plain(memoryText(known));
    for (const line of [
      'external id     handbook/releases',
      'spaces          dev',
      'representations code',
      `occurred        ${at}`,
      `updated         ${later}`,
      `restorable      until ${later}`,
      `accessed        2 times, last ${later}`,
    ])
      expect(lines).toContain(line);
  });

  it('[J4] is one line in a list', () => {
    expect(plain(memoryLine({ ...memory, externalId: 'm1' }))).toEqual([
      '019a  team     2026-11-25 09:00  Releases are cut on Tuesday.\ufffd[31m  m1',
    ]);
  });
});

describe('other answers at a terminal', () => {
  it('[J4] a version shows who, when and why, and each change', () => {
    const text = versionText({
      revision: 1,
      type: 'MemoryUpdated',
      at,
      actor: 'user:ada',
      cause: 'user',
      reason: 'moved',
      changes: {
        content: { from: 'Tuesday', to: 'Wednesday' },
        'metadata.owner': { from: 'ada' },
        tags: { to: ['a'] },
      },
    });
    expect(plain(text)).toEqual([
      `   1  ${at}  MemoryUpdated  user:ada (user)  “moved”`,
      '      content: "Tuesday" → "Wednesday"',
      '      metadata.owner: "ada" → none',
      '      tags: ["a"]',
    ]);
  });

  it('[J4] figures are printed as tables', () => {
    const amount = { active: 1200, archived: 0, deleted: 1, characters: 34_567 };
    const text = statsText({
      tenant: 'acme',
      coverage: 'visible',
      total: amount,
      layers: [{ layer: 'team', ...amount }],
      spaces: [],
      access: { total: 5, memories: 2, lastAt: at },
      feedback: { total: 0 },
    });
    expect(plain(text)).toEqual([
      'Memories of what you can see of tenant acme',
      '',
      'layer  active  archived  deleted  characters',
      'team   1,200   0         1        34,567',
      'all    1,200   0         1        34,567',
      '',
      `5 accesses to 2 memories, last ${at}; 0 ratings`,
    ]);
  });

  it('[J4] a validation shows its findings with reasons, or that there are none', () => {
    const nothing = { contradictions: [], supersessions: [], notFound: [] };
    expect(validationText(nothing)).toBe('No contradiction and no supersession was found.');
    const reasons = [{ detail: 'another date: "Monday", "Tuesday"' }];
    const text = validationText({
      contradictions: [{ memories: ['a', 'b'], confidence: 0.8, reasons }],
      supersessions: [{ memory: 'c', supersededBy: 'd', confidence: 0.9, reasons }],
      notFound: ['e'],
    });
    expect(plain(text)).toEqual([
      'a contradicts b (confidence 0.80)',
      '  another date: "Monday", "Tuesday"',
      'd supersedes c (confidence 0.90)',
      '  another date: "Monday", "Tuesday"',
      'e is no active memory that you can see',
    ]);
  });
});

describe('arguments', () => {
  it('[J4] the scope contains the given identifiers, or is absent', () => {
    expect(scopeOf({ team: 't', user: 'u' })).toEqual({ team: 't', user: 'u' });
    expect(scopeOf({})).toBeUndefined();
  });

  it('[J4] a change names the revision as a number, or any', () => {
    expect(changeOptions({ reason: 'moved', ifMatch: '3' })).toEqual({ reason: 'moved', ifMatch: 3 });
    expect(changeOptions({ ifMatch: '*' })).toMatchObject({ ifMatch: '*' });
    expect(changeOptions({})).not.toHaveProperty('ifMatch');
  });
});

describe('a server on a terminal', () => {
  const started = {
    version: '1.2.3',
    url: 'http://127.0.0.1:8080',
    profile: 'embedded',
    roles: ['api', 'projector', 'worker'],
    data: '/data',
    identity: 'credentials',
  } as const;

  it('[J4] prints address, docs, data and identity', () => {
    expect(plain(startText(started))).toEqual([
      'Stratalog 1.2.3 is ready',
      '  address   http://127.0.0.1:8080',
      '  docs      http://127.0.0.1:8080/docs',
      '  data      /data (profile embedded)',
      '  identity  callers need an API key or a JWT',
      'Ctrl-C stops it.',
    ]);
    expect(startText({ ...started, identity: 'development' })).toContain('everyone on this machine');
  });

  it('[J4] a process without the API prints its roles and the URL of its health', () => {
    const lines = plain(startText({ ...started, roles: ['worker'] }));
    expect(lines).toContain('  health    http://127.0.0.1:8080/readyz');
    expect(lines).toContain('  roles     worker');
    expect(lines.join('\n')).not.toMatch(/docs|identity/);
  });

  it('[J4] writes log entries as lines', () => {
    const entry = { level: 40, time: Date.parse(at), pid: 1, hostname: 'h', name: 'stratalog' };
    expect(logText({ ...entry, msg: 'unknown setting', variable: 'STRATALOG_X' })).toBe(
      '09:00:00 WARN  unknown setting variable=STRATALOG_X',
    );
    expect(logText({ ...entry, level: 50, msg: 'failed', err: { message: 'no disk' }, attempt: 2 })).toBe(
      '09:00:00 ERROR failed: no disk attempt=2',
    );
    expect(logText({ ...entry, level: 30, msg: 'a\nb' })).toBe('09:00:00 info  a\ufffdb');
  });
});
