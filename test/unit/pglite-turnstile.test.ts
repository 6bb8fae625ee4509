import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Turnstile } from '../../src/adapters/pglite/turnstile.ts';

/** A statement whose answer is there at once. */
function note(order: string[], name: string): () => Promise<unknown> {
  return async () => order.push(name);
}

describe('the turnstile', () => {
  it('lets statements pass at once while nothing holds it', () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.pass(false, note(order, 'a'));
    turnstile.pass(false, note(order, 'b'));
    expect(order).toEqual(['a', 'b']);
  });

  it('keeps the order of arrival through holds, so that nobody is overtaken or starves', () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.hold(() => order.push('hold 1'));
    turnstile.pass(false, note(order, 'pass 1'));
    turnstile.hold(() => order.push('hold 2'));
    turnstile.pass(false, note(order, 'pass 2'));
    turnstile.pass(false, note(order, 'pass 3'));
    turnstile.hold(() => order.push('hold 3'));
    expect(order).toEqual(['hold 1']);
    turnstile.release();
    expect(order).toEqual(['hold 1', 'pass 1', 'hold 2']);
    turnstile.release();
    expect(order).toEqual(['hold 1', 'pass 1', 'hold 2', 'pass 2', 'pass 3', 'hold 3']);
  });

  it('stays in order for whoever arrives while others are let in', () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.hold(() => {});
    turnstile.pass(false, async () => {
      order.push('first');
      turnstile.pass(false, note(order, 'late'));
    });
    turnstile.pass(false, note(order, 'second'));
    turnstile.release();
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
    new Turnstile().holdInBackground(() => order.push('background'));
    expect(order).toEqual(['background']);
  });

  it('leaves nineteen twentieths of a wanted connection to others, and takes its twentieth', () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.holdInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(20);
    turnstile.hold(() => order.push('command 1'));
    turnstile.holdInBackground(() => order.push('background 2'));
    turnstile.release();
    // Commands keep coming, one behind the other, for nineteen times as long.
    for (let command = 2; command <= 76; command++) {
      vi.advanceTimersByTime(5);
      turnstile.release();
      turnstile.hold(() => order.push(`command ${command}`));
    }
    expect(order.slice(0, 2)).toEqual(['background 1', 'command 1']);
    expect(order.at(-1)).toBe('command 76');
    expect(order).not.toContain('background 2');
    vi.advanceTimersByTime(5);
    turnstile.release();
    expect(order.at(-1)).toBe('background 2');
  });

  it('takes its twentieth also where transactions wait at every release', () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.holdInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(20);
    turnstile.hold(() => order.push('search 1'));
    turnstile.holdInBackground(() => order.push('background 2'));
    turnstile.hold(() => order.push('search 2'));
    turnstile.release();
    for (let search = 3; search <= 77; search++) {
      turnstile.hold(() => order.push(`search ${search}`));
      vi.advanceTimersByTime(5);
      turnstile.release();
    }
    expect(order).not.toContain('background 2');
    turnstile.hold(() => order.push('search 78'));
    vi.advanceTimersByTime(5);
    turnstile.release();
    expect(order.at(-1)).toBe('background 2');
    turnstile.release();
    expect(order.at(-1)).toBe('search 77');
  });

  it('waits for as long as a statement of others has no answer', async () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.holdInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(60);
    let answer = (): void => {};
    const statement = new Promise<void>((resolve) => (answer = resolve));
    turnstile.pass(false, () => statement);
    turnstile.holdInBackground(() => order.push('background 2'));
    turnstile.release();
    vi.advanceTimersByTime(50);
    expect(order).toEqual(['background 1']);
    answer();
    await statement;
    vi.advanceTimersByTime(10);
    expect(order).toEqual(['background 1', 'background 2']);
  });

  it('goes on when nobody came for a while', async () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.holdInBackground(() => order.push('background 1'));
    vi.advanceTimersByTime(60);
    turnstile.pass(false, note(order, 'command'));
    turnstile.holdInBackground(() => order.push('background 2'));
    turnstile.release();
    await Promise.resolve();
    expect(order).toEqual(['background 1', 'command']);
    vi.advanceTimersByTime(10);
    expect(order).toEqual(['background 1', 'command', 'background 2']);
  });
});
