import { z } from 'zod';
import { stats } from '../../api/operation/stats.ts';
import { spaceIdField } from './search.ts';
import { tool } from './tool.ts';

export const memoryStats = tool({
  name: 'memory_stats',
  title: 'Count memories',
  description: 'Count memories by layer and by space, for instance to find out which spaces exist.',
  input: z.strictObject({
    space_id: spaceIdField,
  }),
  effect: 'reads',
  async call({ space_id: space }, act) {
    const { coverage, total, layers, spaces } = await act(stats, {});
    const shown = spaces.filter((each) => space === undefined || each.space === space);
    const count = (name: string, { active, deleted }: { active: number; deleted: number }) =>
      `${name}: ${active} active, ${deleted} deleted`;
    return {
      fields: { coverage, total, layers, spaces: shown },
      text: [
        ...(space === undefined
          ? [count('all', total), ...layers.map((each) => count(`layer ${each.layer}`, each))]
          : []),
        ...shown.map((each) => count(`space ${each.space}`, each)),
        ...(space !== undefined && shown.length === 0 ? [`There is no memory in the space ${space}.`] : []),
      ].join('\n'),
    };
  },
});
