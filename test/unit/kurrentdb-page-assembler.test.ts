import { expect, it } from 'vitest';
import { PageAssembler } from '../../src/adapters/kurrentdb/page-assembler.ts';
import type { ResponseReader } from '../../src/adapters/kurrentdb/response-reader.ts';
import { WakeUp } from '../../src/support/wake-up.ts';

/** A response of the server with the event at `position`, reduced to the fields that are read. */
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

it('[G1] a page ended by an error reaches to its last event, so that no event is delivered twice', async () => {
  const steps = [answerAt(5), undefined, answerAt(6), new Error('the server went away')];
  const next = () => {
    const step = steps.shift();
    if (step instanceof Error) throw step;
    return step;
  };
  const assembler = new PageAssembler({ next } as unknown as ResponseReader, new WakeUp(), undefined);
  const page = await assembler.nextPage(0, 100, performance.now() + 20, new AbortController().signal);
  expect(page.events.map(({ position }) => position)).toEqual([5, 6]);
  expect(page.scannedTo).toBe(6);
});
