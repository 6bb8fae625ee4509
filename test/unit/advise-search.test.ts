import { expect, it } from 'vitest';
import { developmentIdentity as caller } from '../../src/api/identity/authenticate.ts';
import { defaultExperience } from '../../src/domain/experience/settings.ts';
import { adviseSearch } from '../../src/queries/experience/experienced-search.ts';
import type { ExperienceReader } from '../../src/queries/experience/experience-reader.ts';
import type { TraceReader } from '../../src/queries/experience/trace-reader.ts';

const refuse = () => Promise.reject(new Error('nothing is looked up'));
const unread = {
  traces: { neighbours: refuse } as unknown as TraceReader,
  records: { records: refuse } as unknown as ExperienceReader,
};
const query = 'When are releases cut?';
const half = { ...defaultExperience, share: 0.5 };

it.each([
  { name: 'with experience', group: 0.2, applied: true },
  { name: 'of the comparison', group: 0.7, applied: false },
])(
  '[C9] [C11] a search as of a position chooses nothing and counts in the group of its session: $name',
  async ({ group, applied }) => {
    const asked = { query, sent: {}, isAsOf: true };
    const advice = await adviseSearch(unread, caller, asked, half, { group, exploration: 0 });
    expect(advice).toMatchObject({ arm: { name: 'default' }, applied, by: 'kind', neighbours: [] });
  },
);

it('[C11] where experience is off, every search is of the comparison, and nothing is looked up', async () => {
  const off = { ...defaultExperience, enabled: false };
  const asked = { query, sent: {}, isAsOf: false };
  const advice = await adviseSearch(unread, caller, asked, off, { group: 0, exploration: 0 });
  expect(advice).toMatchObject({ arm: { name: 'default' }, applied: false, by: 'kind' });
});
