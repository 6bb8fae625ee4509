import { expect, it } from 'vitest';
import { Commits, type CommitRequest } from '../../src/adapters/kafka/commits.ts';

const next = (partition: number, offset: string, topic = 'events') => ({ topic, partition, offset });
const always = () => true;

/** Requests that are answered when the test says so. */
function broker() {
  const requests: CommitRequest[] = [];
  const answers: { resolve: () => void; reject: (error: Error) => void }[] = [];
  const send = (request: CommitRequest): Promise<void> => {
    requests.push(request);
    return new Promise((resolve, reject) => answers.push({ resolve, reject }));
  };
  return { requests, answers, send };
}

it('commits by one request what was done while another one was under way, the last offset of each partition', async () => {
  const { requests, answers, send } = broker();
  const commits = new Commits();
  const first = commits.commit(next(0, '1'), always, send);
  await expect.poll(() => requests.length).toBe(1);
  const others = [next(1, '5'), next(0, '2'), next(1, '6'), next(1, '3', 'internal')].map((offset) =>
    commits.commit(offset, always, send),
  );
  expect(requests).toHaveLength(1);
  answers[0]!.resolve();
  await first;
  await expect.poll(() => requests.length).toBe(2);
  answers[1]!.resolve();
  await Promise.all(others);
  expect(requests[1]).toEqual({
    topics: [
      {
        topic: 'events',
        partitions: [
          { partition: 1, offset: '6' },
          { partition: 0, offset: '2' },
        ],
      },
      { topic: 'internal', partitions: [{ partition: 1, offset: '3' }] },
    ],
  });
});

it('tells a failure to those whose request it was, and goes on', async () => {
  const { requests, answers, send } = broker();
  const commits = new Commits();
  const first = commits.commit(next(0, '1'), always, send);
  await expect.poll(() => requests.length).toBe(1);
  const second = commits.commit(next(0, '2'), always, send);
  answers[0]!.reject(new Error('no coordinator'));
  await expect(first).rejects.toThrow('no coordinator');
  await expect.poll(() => requests.length).toBe(2);
  answers[1]!.resolve();
  await second;
});

it('leaves out a partition that was lost while it waited', async () => {
  const { requests, answers, send } = broker();
  const commits = new Commits();
  const first = commits.commit(next(0, '1'), always, send);
  await expect.poll(() => requests.length).toBe(1);
  const lost = commits.commit(next(1, '9'), () => false, send);
  answers[0]!.resolve();
  await Promise.all([first, lost]);
  expect(requests).toHaveLength(1);
});
