import { expect, it } from 'vitest';
import { Gatherer } from '../../src/adapters/kurrentdb/gatherer.ts';
import type { Inbox } from '../../src/adapters/kurrentdb/inbox.ts';
import { WakeUp } from '../../src/support/wake-up.ts';

/** An answer of the server with the event at `position`, as far as it is looked at. */
function answerAt(position: number) {
  const bytes = (text: string) => () => Buffer.from(text);
  const record = {
    getMetadataMap: () => new Map(Object.entries({ type: 'MemoryStored.v1', created: '0' })),
    getStreamIdentifier: () => ({ getStreamName_asU8: bytes('memory-acme.x') }),
    getCommitPosition: () => `${position}`,
    getStreamRevision: () => '0',
    getId: () => ({ getString: () => `event at ${position}` }),
    getData_asU8: bytes('{}'),
    getCustomMetadata_asU8: bytes('{}'),
  };
  return { getEvent: () => ({ getEvent: () => record }), getCheckpoint: () => undefined };
}

it('[G1] a page that an error ends goes as far as its last event, so that none comes again', async () => {
  const steps = [answerAt(5), undefined, answerAt(6), new Error('the server went away')];
  const take = () => {
    const step = steps.shift();
    if (step instanceof Error) throw step;
    return step;
  };
  const gatherer = new Gatherer({ take } as unknown as Inbox, new WakeUp(), undefined);
  const page = await gatherer.gather(0, 100, performance.now() + 20, new AbortController().signal);
  expect(page.events.map(({ position }) => position)).toEqual([5, 6]);
  expect(page.scannedTo).toBe(6);
});
