import { expect, it } from 'vitest';
import { openMetrics } from '../../src/adapters/prometheus/metrics.ts';

it('[J6] a histogram of values of either sign is served from the start, and counts all of them', async () => {
  const errors: unknown[] = [];
  const metrics = openMetrics((error) => errors.push(error));
  const options = { description: 'Rewards', boundaries: [-0.5, 0, 0.5] };
  const reward = metrics.signedHistogram('test.reward', options);
  const lines = async () => (await metrics.text()).split('\n').filter((line) => line.includes('test_reward'));
  const served = (count: number, sum: number, buckets: readonly number[]) => [
    '# HELP test_reward Rewards',
    '# TYPE test_reward histogram',
    `test_reward_count ${count}`,
    `test_reward_sum ${sum}`,
    ...['-0.5', '0', '0.5', '+Inf'].map((le, n) => `test_reward_bucket{le="${le}"} ${buckets[n]}`),
  ];
  expect(await lines()).toEqual(served(0, 0, [0, 0, 0, 0]));
  for (const value of [-1, -0.5, -0.25, 0, 0.5, 0.75]) reward.record(value);
  expect(await lines()).toEqual(served(6, -0.5, [2, 4, 5, 6]));
  expect(errors).toEqual([]);
  await metrics.close();
});
