import { expect, it } from 'vitest';
import { CautiousClock } from '../../src/support/cautious-clock.ts';

const hour = 3_600_000;
const day = 24 * hour;

/** A machine whose clock can be set while time goes on. */
class Machine {
  time = Date.parse('2030-01-10T00:00:00Z');
  elapsed = 0;

  passes(ms: number): void {
    this.time += ms;
    this.elapsed += ms;
  }

  clock(latestKnown = this.time): CautiousClock {
    return new CautiousClock({
      wall: () => this.time,
      steady: () => this.elapsed,
      latestKnown,
      startToleranceMs: day,
      confirmMs: hour,
    });
  }
}

it('[A19] a clock that goes as usual is believed', () => {
  const machine = new Machine();
  const clock = machine.clock(machine.time - hour);
  for (let step = 0; step < 5; step++) {
    expect(clock.now().getTime()).toBe(machine.time);
    machine.passes(hour / 2);
  }
});

it('[A19] a clock that is set forward and back is not', () => {
  const machine = new Machine();
  const clock = machine.clock();
  const before = clock.now().getTime();
  machine.time += 400 * day;
  machine.passes(hour / 2);
  expect(clock.now().getTime()).toBe(before + hour / 2);
  machine.time -= 400 * day;
  machine.passes(hour);
  expect(clock.now().getTime()).toBe(before + 1.5 * hour);
});

it('[A19] a clock that stays set forward is believed after an hour, and one that is set back at once', () => {
  const machine = new Machine();
  const clock = machine.clock();
  machine.time += 10 * day;
  clock.now();
  machine.passes(hour);
  expect(clock.now().getTime()).toBe(machine.time);
  machine.time -= 20 * day;
  expect(clock.now().getTime()).toBe(machine.time);
});

it('[A19] a process that starts long after the last event waits before it believes its clock', () => {
  const machine = new Machine();
  const lastEvent = machine.time - 30 * day;
  const clock = machine.clock(lastEvent);
  expect(clock.now().getTime()).toBe(lastEvent + day);
  machine.passes(hour);
  expect(clock.now().getTime()).toBe(machine.time);
});
