import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freshnessOf } from '../../src/domain/summaries/freshness.ts';
import {
  afterChange,
  afterGeneration,
  afterInvalidation,
  dueOf,
  measured,
  untouched,
  type ScheduleState,
} from '../../src/domain/summaries/schedule.ts';
import {
  defaultSummarySettings,
  summarySettingsSchema,
  type SummarySettings,
} from '../../src/domain/summaries/settings.ts';
import { layers } from '../../src/domain/layers.ts';

const start = new Date('2026-03-01T00:00:00Z');
const at = (seconds: number): Date => new Date(start.getTime() + seconds * 1_000);
const windowMs = 300_000;
const settings = { ...defaultSummarySettings('team'), updateOnChanges: 3, updateIntervalSeconds: 3_600 };

function changedTimes(times: number, from: ScheduleState = untouched, seconds = 0): ScheduleState {
  let state = from;
  for (let n = 0; n < times; n++)
    state = measured(afterChange(state, at(seconds + n), 100 + n), settings, at(seconds + n));
  return state;
}

const due = (state: ScheduleState, own: SummarySettings = settings) => dueOf(state, own, windowMs);

describe('when summaries are due', () => {
  it('[E3] nothing has changed: never', () => {
    expect(due(untouched)).toBeUndefined();
    expect(due(afterGeneration(untouched, at(0), 5))).toBeUndefined();
  });

  it('[E3] after enough changes, soon', () => {
    expect(due(changedTimes(2))).toMatchObject({ trigger: 'interval' });
    expect(due(changedTimes(3))).toEqual({ trigger: 'changes', at: at(4) });
    expect(due(changedTimes(50))).toEqual({ trigger: 'changes', at: at(4) });
  });

  it('[E3] once in a window, however many changes there are', () => {
    const generated = afterGeneration(changedTimes(3), at(10), 1_000);
    expect(generated.changes).toBe(0);
    expect(due(changedTimes(10_000, generated, 20))).toEqual({ trigger: 'changes', at: at(310) });
  });

  it('[E3] after the interval, if there was a change or unchanged scopes are not skipped', () => {
    const generated = afterGeneration(changedTimes(3), at(10), 1_000);
    expect(due(changedTimes(1, generated, 20))).toEqual({ trigger: 'interval', at: at(3_610) });
    expect(due(generated)).toBeUndefined();
    expect(due(generated, { ...settings, skipIfUnchanged: false })).toEqual({
      trigger: 'interval',
      at: at(3_610),
    });
  });

  it('[E6] at once where a quoted memory was deleted, but not all the time', () => {
    const generated = afterGeneration(changedTimes(3), at(10), 1_000);
    expect(due(afterInvalidation(generated, at(60)))).toEqual({ trigger: 'invalidated', at: at(61) });
    expect(due(afterInvalidation(generated, at(12)))).toEqual({ trigger: 'invalidated', at: at(15) });
    expect(due(afterGeneration(afterInvalidation(generated, at(60)), at(61), 2_000))).toBeUndefined();
  });

  it('[E3] what changed while they were made waits for the next time', () => {
    const generated = afterGeneration(changedTimes(5), at(10), 102);
    expect(generated).toMatchObject({ changes: 2, firstChangeAt: at(10) });
    expect(afterGeneration(changedTimes(5), at(10), 104).changes).toBe(0);
    expect(due(generated)).toEqual({ trigger: 'interval', at: at(3_610) });
  });

  it('[E3] other settings move it', () => {
    const state = changedTimes(2);
    const lower = { ...settings, updateOnChanges: 2 };
    expect(due(measured(state, lower, at(100)), lower)).toEqual({ trigger: 'changes', at: at(102) });
    const never = { ...defaultSummarySettings('session') };
    expect(due(measured(changedTimes(50), never, at(100)), never)).toBeUndefined();
  });

  it('is the first of all reasons, and never undefined with a change and an interval', () => {
    const step = fc.oneof(
      fc.record({ kind: fc.constant('change' as const), at: fc.nat(10_000) }),
      fc.record({ kind: fc.constant('invalid' as const), at: fc.nat(10_000) }),
      fc.record({ kind: fc.constant('generated' as const), at: fc.nat(10_000), read: fc.nat(200) }),
    );
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let state = untouched;
        for (const [position, step] of steps.entries()) {
          if (step.kind === 'change') state = afterChange(state, at(step.at), position);
          else if (step.kind === 'invalid') state = afterInvalidation(state, at(step.at));
          else state = afterGeneration(state, at(step.at), step.read);
          state = measured(state, settings, at(step.at));
          const next = due(state);
          expect(next !== undefined).toBe(state.changes > 0 || state.invalidatedAt !== undefined);
          if (next && state.generatedAt) expect(next.at > state.generatedAt).toBe(true);
        }
      }),
    );
  });
});

describe('freshness', () => {
  const made = { sourceHash: '1:a', generatedAt: at(0) };

  it('[E6] Content hash comparison', () => {
    expect(freshnessOf(made, '1:a', {}, at(5))).toEqual({
      stale: false,
      needsRegeneration: false,
      ageSeconds: 5,
    });
    expect(freshnessOf(made, '1:b', {}, at(5))).toMatchObject({
      stale: true,
      needsRegeneration: true,
      reason: 'changed',
    });
    expect(freshnessOf({ ...made, invalidated: 'deleted' }, '1:b', {}, at(5)).reason).toBe('deleted');
    // The deleted memory was restored.
    expect(freshnessOf({ ...made, invalidated: 'deleted' }, '1:a', {}, at(5)).stale).toBe(false);
  });

  it('[E6] Track summary age', () => {
    expect(freshnessOf(made, '1:a', { maxAgeSeconds: 60 }, at(60)).stale).toBe(false);
    expect(freshnessOf(made, '1:a', { maxAgeSeconds: 60 }, at(61))).toMatchObject({
      stale: true,
      reason: 'age',
    });
    expect(freshnessOf(made, '1:a', { maxAgeSeconds: 60 }, at(-500)).ageSeconds).toBe(0);
  });
});

it('[E3] the default settings of each layer are valid', () => {
  for (const layer of layers)
    expect(summarySettingsSchema.parse(defaultSummarySettings(layer)).depths).toHaveLength(3);
});
