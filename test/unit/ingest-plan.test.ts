import { expect, it } from 'vitest';
import type { FoundFile } from '../../src/cli/ingest/found-files.ts';
import { planIngest } from '../../src/cli/ingest/plan.ts';
import { Problem } from '../../src/domain/problems.ts';

const file = (externalId: string, sha256: string): FoundFile => ({
  externalId,
  name: externalId,
  uri: `file:///${externalId}`,
  sha256: () => Promise.resolve(sha256),
  read: () => Promise.reject(new Problem('internal', 'a plan reads no file')),
});

it('[H11] a file that the server could not read is sent again only if it has changed', async () => {
  const known = {
    id: '1',
    externalId: 'scale.png',
    spaces: [],
    tags: [],
    problem: { code: 'unsupported-document' },
  };
  const actionsWith = async (sha256: string, refused: [string, string][]) => {
    const steps = await planIngest({
      files: [file('scale.png', sha256)],
      known: [known as never],
      isWhole: true,
      spaces: [],
      tags: [],
      refused: new Map(refused),
    });
    return steps.map(({ action }) => action);
  };
  expect(await actionsWith('a', [])).toEqual(['change']);
  expect(await actionsWith('a', [['scale.png', 'a']])).toEqual(['unchanged']);
  expect(await actionsWith('b', [['scale.png', 'a']])).toEqual(['change']);
});
