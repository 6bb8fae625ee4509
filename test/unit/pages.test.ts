import { describe, expect, it } from 'vitest';
import type { LoadedPage } from '../../src/ports/event-store.ts';
import { Pages } from '../../src/projections/pages.ts';

/** A log with pages of ten positions up to `head`, which records its reads. */
function logOf(head: number) {
  const log = { head, reads: [] as number[], fails: false };
  const pages = new Pages((after) => {
    log.reads.push(after);
    if (log.fails) return Promise.reject(new Error('away'));
    const page: LoadedPage = { events: [], unreadable: [], scannedTo: Math.min(after + 10, log.head) };
    return Promise.resolve(page);
  });
  return { log, pages };
}

describe('[F4] pages of the log', () => {
  it('are read once for all readers, and the next page ahead', async () => {
    const { log, pages } = logOf(100);
    const [one, other] = await Promise.all([pages.after(0), pages.after(0)]);
    expect(one).toBe(other);
    expect(log.reads).toEqual([0, 10]);
    expect((await pages.after(10)).scannedTo).toBe(20);
    expect(await pages.after(0)).toBe(one);
    expect(log.reads).toEqual([0, 10, 20]);
    expect([0, 10, 20].map((position) => pages.endOf(position))).toEqual([10, 20, undefined]);
  });

  it('are dropped together with those before them', async () => {
    const { log, pages } = logOf(100);
    for (const position of [0, 10]) await pages.after(position);
    pages.dropBefore(10);
    expect([pages.endOf(0), pages.endOf(10)]).toEqual([undefined, 20]);
    await pages.after(10);
    expect(log.reads).toEqual([0, 10, 20]);
    await pages.after(0);
    expect(log.reads).toEqual([0, 10, 20, 0]);
  });

  it('at the end of the log are read again each time', async () => {
    const { log, pages } = logOf(5);
    await pages.after(0);
    expect((await pages.after(5)).scannedTo).toBe(5);
    log.head = 8;
    expect((await pages.after(5)).scannedTo).toBe(8);
  });

  it('that could not be read are read again', async () => {
    const { log, pages } = logOf(100);
    log.fails = true;
    await expect(pages.after(0)).rejects.toThrow('away');
    log.fails = false;
    expect((await pages.after(0)).scannedTo).toBe(10);
    log.fails = true;
    await pages.after(10);
    await expect(pages.after(20)).rejects.toThrow('away');
    log.fails = false;
    expect((await pages.after(20)).scannedTo).toBe(30);
  });
});
