import { describe, expect, it } from 'vitest';
import { Turnstile } from '../../src/adapters/pglite/turnstile.ts';

describe('the turnstile', () => {
  it('lets statements pass at once while nothing holds it', () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.pass(() => order.push('a'));
    turnstile.pass(() => order.push('b'));
    expect(order).toEqual(['a', 'b']);
  });

  it('keeps the order of arrival through holds, so that nobody is overtaken or starves', () => {
    const order: string[] = [];
    const turnstile = new Turnstile();
    turnstile.hold(() => order.push('hold 1'));
    turnstile.pass(() => order.push('pass 1'));
    turnstile.hold(() => order.push('hold 2'));
    turnstile.pass(() => order.push('pass 2'));
    turnstile.pass(() => order.push('pass 3'));
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
    turnstile.pass(() => {
      order.push('first');
      turnstile.pass(() => order.push('late'));
    });
    turnstile.pass(() => order.push('second'));
    turnstile.release();
    expect(order).toEqual(['first', 'second', 'late']);
  });
});
