import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ConnectionScheduler } from '../../src/adapters/pglite/connection-scheduler.ts';

/** A statement that is answered immediately. */
function note(order: string[], name: string): () => Promise<unknown> {
  return async () => order.push(name);
}

describe('the connection scheduler', () => {
  it('runs statements at once while no transaction has the connection', () => {
    const order: string[] = [];
    const scheduler = new ConnectionScheduler();
    scheduler.run(false, note(order, 'a'));
    scheduler.run(false, note(order, 'b'));
    expect(order).toEqual(['a', 'b']);
  });

  it('keeps the order of arrival across transactions, so that no task is overtaken or starves', () => {
    const order: string[] = [];
    const scheduler = new ConnectionScheduler();
    scheduler.acquire(() => order.push('hold 1'));
    scheduler.run(false, note(order, 'pass 1'));
    scheduler.acquire(() => order.push('hold 2'));
    scheduler.run(false, note(order, 'pass 2'));
    scheduler.run(false, note(order, 'pass 3'));
    scheduler.acquire(() => order.push('hold 3'));
    expect(order).toEqual(['hold 1']);
    scheduler.release();
    expect(order).toEqual(['hold 1', 'pass 1', 'hold 2']);
    scheduler.release();
    expect(order).toEqual(['hold 1', 'pass 1', 'hold 2', 'pass 2', 'pass 3', 'hold 3']);
  });

  it('keeps the order for tasks that arrive while others start', () => {
    const order: string[] = [];
    const scheduler = new ConnectionScheduler();
    scheduler.acquire(() => {});
    scheduler.run(false, async () => {
      order.push('first');
      scheduler.run(false, note(order, 'late'));
    });
    scheduler.run(false, note(order, 'second'));
    scheduler.release();
    expect(order).toEqual(['first', 'second', 'late']);
  });
});

describe('background work', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('starts at once on an idle connection', () => {
    const order: string[] = [];
    new ConnectionScheduler().acquireInBackground(() => order.push('background'));
    expect(order).toEqual(['background']);
  });

  it('leaves 95 % of a busy connection to others, and uses 5 %', () => {
    const order: string[] = [];
    const scheduler = new ConnectionScheduler();
    scheduler.acquireInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(20);
    scheduler.acquire(() => order.push('command 1'));
    scheduler.acquireInBackground(() => order.push('background 2'));
    scheduler.release();
    // Commands arrive one after another for 19 times as long.
    for (let command = 2; command <= 76; command++) {
      vi.advanceTimersByTime(5);
      scheduler.release();
      scheduler.acquire(() => order.push(`command ${command}`));
    }
    expect(order.slice(0, 2)).toEqual(['background 1', 'command 1']);
    expect(order.at(-1)).toBe('command 76');
    expect(order).not.toContain('background 2');
    vi.advanceTimersByTime(5);
    scheduler.release();
    expect(order.at(-1)).toBe('background 2');
  });

  it('gets its 5 % even if transactions wait at every release', () => {
    const order: string[] = [];
    const scheduler = new ConnectionScheduler();
    scheduler.acquireInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(20);
    scheduler.acquire(() => order.push('search 1'));
    scheduler.acquireInBackground(() => order.push('background 2'));
    scheduler.acquire(() => order.push('search 2'));
    scheduler.release();
    for (let search = 3; search <= 77; search++) {
      scheduler.acquire(() => order.push(`search ${search}`));
      vi.advanceTimersByTime(5);
      scheduler.release();
    }
    expect(order).not.toContain('background 2');
    scheduler.acquire(() => order.push('search 78'));
    vi.advanceTimersByTime(5);
    scheduler.release();
    expect(order.at(-1)).toBe('background 2');
    scheduler.release();
    expect(order.at(-1)).toBe('search 77');
  });

  it('waits until the statements of others are answered', async () => {
    const order: string[] = [];
    const scheduler = new ConnectionScheduler();
    scheduler.acquireInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(60);
    let answer = (): void => {};
    const statement = new Promise<void>((resolve) => (answer = resolve));
    scheduler.run(false, () => statement);
    scheduler.acquireInBackground(() => order.push('background 2'));
    scheduler.release();
    vi.advanceTimersByTime(50);
    expect(order).toEqual(['background 1']);
    answer();
    await statement;
    vi.advanceTimersByTime(10);
    expect(order).toEqual(['background 1', 'background 2']);
  });

  it('continues when there were no requests for a while', async () => {
    const order: string[] = [];
    const scheduler = new ConnectionScheduler();
    scheduler.acquireInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(60);
    scheduler.run(false, note(order, 'command'));
    scheduler.acquireInBackground(() => order.push('background 2'));
    scheduler.release();
    await Promise.resolve();
    expect(order).toEqual(['background 1', 'command']);
    vi.advanceTimersByTime(10);
    expect(order).toEqual(['background 1', 'command', 'background 2']);
  });
});
