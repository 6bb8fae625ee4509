import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { OffsetCommitter, type CommitRequest } from '../../src/adapters/kafka/offset-committer.ts';
import type { PartitionOffset } from '../../src/adapters/kafka/partition-offsets.ts';

const next = (partition: number, offset: string, topic = 'events'): PartitionOffset => ({
  topic,
  partition,
  offset,
});

let requests: CommitRequest[];
let errors: unknown[];
let isHolder: (place: { partition: number }) => boolean;
let answer: () => Promise<void>;
let commits: OffsetCommitter;

const send = (request: CommitRequest): Promise<void> => {
  requests.push(request);
  return answer();
};

beforeEach(() => {
  vi.useFakeTimers();
  requests = [];
  errors = [];
  isHolder = () => true;
  answer = async () => {};
  commits = new OffsetCommitter({
    holds: (place) => isHolder(place),
    onError: (error) => errors.push(error),
  });
});

afterEach(() => {
  vi.useRealTimers();
});

it('commits the last offset of each partition in one request', async () => {
  for (const one of [next(0, '1'), next(1, '5'), next(0, '2'), next(1, '6'), next(1, '3', 'internal')])
    commits.add(one, send);
  expect(requests).toEqual([]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toEqual([
    {
      topics: [
        {
          topic: 'events',
          partitions: [
            { partition: 0, offset: '2' },
            { partition: 1, offset: '6' },
          ],
        },
        { topic: 'internal', partitions: [{ partition: 1, offset: '3' }] },
      ],
    },
  ]);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(requests).toHaveLength(1);
});

it('reports a failure and commits again, unless there is a later offset by then', async () => {
  answer = () => Promise.reject(new Error('no coordinator'));
  commits.add(next(0, '1'), send);
  commits.add(next(1, '1'), send);
  const flushed = commits.flush();
  commits.add(next(0, '2'), send);
  await flushed;
  expect(errors).toEqual([new Error('no coordinator')]);
  answer = async () => {};
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests.at(-1)!.topics[0]!.partitions).toEqual(
    expect.arrayContaining([
      { partition: 0, offset: '2' },
      { partition: 1, offset: '1' },
    ]),
  );
});

it('leaves out a partition that was lost meanwhile', async () => {
  commits.add(next(0, '1'), send);
  commits.add(next(1, '9'), send);
  isHolder = ({ partition }) => partition === 0;
  await commits.flush();
  expect(requests).toEqual([{ topics: [{ topic: 'events', partitions: [{ partition: 0, offset: '1' }] }] }]);
});

it('drops scheduled offsets on forget', async () => {
  commits.add(next(0, '1'), send);
  commits.forget();
  await commits.flush();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(requests).toEqual([]);
});

it.each(['forget', 'close'] as const)('does not repeat a request that fails after %s', async (end) => {
  let fail = (): void => {};
  answer = () => new Promise((_, reject) => (fail = () => reject(new Error('cut'))));
  commits.add(next(0, '1'), send);
  const flushed = commits.flush();
  await vi.advanceTimersByTimeAsync(0);
  commits[end]();
  fail();
  await flushed;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(requests).toHaveLength(1);
});

it('ignores offsets after close', async () => {
  commits.close();
  commits.add(next(0, '1'), send);
  await vi.advanceTimersByTimeAsync(10_000);
  await commits.flush();
  expect(requests).toEqual([]);
});

it('flushes after the request in flight', async () => {
  let release = (): void => {};
  answer = () => new Promise((resolve) => (release = resolve));
  commits.add(next(0, '1'), send);
  const first = commits.flush();
  await vi.advanceTimersByTimeAsync(0);
  commits.add(next(0, '2'), send);
  const second = commits.flush();
  await vi.advanceTimersByTimeAsync(0);
  expect(requests).toHaveLength(1);
  release();
  await first;
  await vi.advanceTimersByTimeAsync(0);
  expect(requests).toHaveLength(2);
  release();
  await second;
});
