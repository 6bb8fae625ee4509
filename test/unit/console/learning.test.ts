import { describe, expect, it } from 'vitest';
import type { Policies, PolicyVersion } from '@stratalog/client';
import { changeOf } from '../../../console/src/screens/learning/changes.ts';
import { lookOf } from '../../../console/src/screens/learning/value-look.ts';
import {
  canPromote,
  gainOf,
  gainText,
  rewardsByDay,
  verdictOf,
  versionToRollBack,
} from '../../../console/src/screens/learning/verdicts.ts';

const version = (name: string, state: PolicyVersion['state']): PolicyVersion => ({
  version: name,
  state,
  bootstrap: false,
});

const observedOn = (...days: readonly (readonly [day: string, reward: number])[]) => ({
  decisions: days.length,
  arms: [],
  days: days.map(([day, reward]) => ({ day, reward, decisions: 1 })),
});

describe('verdicts', () => {
  it('need the whole interval on one side of 0', () => {
    expect(verdictOf({ low: 0.01, high: 0.2 })).toBe('better');
    expect(verdictOf({ low: -0.2, high: -0.01 })).toBe('worse');
    expect(verdictOf({ low: 0, high: 0.2 })).toBe('not proven');
    expect(verdictOf({ low: undefined, high: undefined })).toBe('not proven');
  });

  it('take the doubly robust estimate, with its interval where there is one', () => {
    const figures = {
      decisions: 9,
      deviating: 1,
      matched: 3,
      opposed: 6,
      effectiveSize: 3,
      ips: { value: -0.7 },
      snips: { value: 0.2 },
      doublyRobust: { value: 0.25 },
    };
    expect(gainText(gainOf(figures))).toBe('+0.25');
    expect(gainText(gainOf({ ...figures, interval: [-0.1, 0.5] }))).toBe('+0.25 (−0.1 to +0.5)');
  });
});

describe('rewards by day', () => {
  it('have a line for each version, with gaps on days of others', () => {
    const items = [
      { ...version('b', 'in-force'), observed: observedOn(['2026-11-03', 0.8]) },
      { ...version('a', 'earlier'), observed: observedOn(['2026-11-01', 0.1], ['2026-11-02', 0.2]) },
      version('c', 'candidate'),
    ];
    expect(rewardsByDay(items)).toEqual({
      days: ['2026-11-01', '2026-11-02', '2026-11-03'],
      series: [
        { name: 'b', values: [null, null, 0.8] },
        { name: 'a', values: [0.1, 0.2, null] },
      ],
    });
  });
});

describe('what can be decided', () => {
  const policies: Policies = {
    inForce: 'base-0',
    candidate: 'learned-2',
    decisions: 40,
    exploration: 0.2,
    looks: 0,
    needed: 50,
    items: [version('rules-1', 'earlier'), version('base-0', 'in-force'), version('learned-2', 'candidate')],
  };

  it('rolls the canary back first, and nothing where there was no version before', () => {
    expect(versionToRollBack({ ...policies, canary: 'learned-2' })).toBe('learned-2');
    expect(versionToRollBack(policies)).toBe('base-0');
    expect(versionToRollBack({ ...policies, items: [version('base-0', 'in-force')] })).toBeUndefined();
  });

  it('promotes neither the version in force nor a superseded one', () => {
    expect(canPromote(version('base-0', 'in-force'), policies)).toBe(false);
    expect(canPromote(version('learned-1', 'superseded'), policies)).toBe(false);
    expect(canPromote(version('learned-2', 'candidate'), policies)).toBe(true);
  });
});

describe('comparisons of values', () => {
  const event = { id: 'e', at: '2026-11-29T16:17:17.291Z' };

  it('are read from their events', () => {
    const data = { searches: 50, looks: 1, gain: 0.02, interval: [-0.01, 0.05], weight: 0 };
    expect(lookOf({ ...event, data })).toEqual({
      ...event,
      searches: 50,
      weight: 0,
      gain: { value: 0.02, low: -0.01, high: 0.05 },
    });
  });

  it('survive an event that was written by another version', () => {
    expect(lookOf({ ...event, data: {} })).toEqual({
      ...event,
      searches: undefined,
      weight: 0,
      gain: { value: 0, low: undefined, high: undefined },
    });
  });
});

describe('looks at policies in the audit', () => {
  const cause = 'system';

  it('tells a canary, a promotion without proof, a roll-back and a rejected candidate apart', () => {
    const policy = { version: 'learned-3' };
    expect(changeOf({ type: 'PolicyPromoted', cause, data: { policy, share: 'canary' } })).toMatchObject({
      what: 'canary',
      note: 'learned-3',
      isOwn: true,
    });
    expect(
      changeOf({ type: 'PolicyPromoted', cause: 'user', data: { policy, share: 'all', forced: true } }),
    ).toMatchObject({ what: 'in force', note: 'learned-3, without proof', isOwn: false, gain: undefined });
    expect(
      changeOf({ type: 'PolicyRolledBack', cause, data: { version: 'a', to: 'b', reason: 'worse' } }),
    ).toMatchObject({ what: 'rolled back', note: 'a to b, because it was worse', tone: 'danger' });
    const data = { version: 'a', incumbent: 'b', verdict: 'reject', reason: 'it is worse' };
    expect(changeOf({ type: 'PolicyCompared', cause, data })).toMatchObject({
      what: 'rejected',
      note: 'a with b: it is worse',
      tone: 'warn',
    });
  });

  it('shows the gain that was estimated then', () => {
    const figures = { doublyRobust: { value: 0.08 }, interval: [0.03, 0.13] };
    const data = { version: 'a', incumbent: 'b', verdict: 'keep-collecting', reason: '', figures };
    expect(changeOf({ type: 'PolicyCompared', cause, data }).gain).toEqual({
      value: 0.08,
      low: 0.03,
      high: 0.13,
    });
  });
});
