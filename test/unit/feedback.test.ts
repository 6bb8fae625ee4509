import { describe, expect, it } from 'vitest';
import {
  feedbackOf,
  MOST_FEEDBACK,
  isRefuted,
  withFeedback,
  type Judgement,
} from '../../src/domain/ranking/feedback.ts';
import { BGE_SMALL, UNKNOWN_MODEL } from '../../src/domain/ranking/scales.ts';
import { scoreOf } from '../../src/domain/ranking/score-scale.ts';
import { defaultFeedbackScore, feedbackKinds, type FeedbackKind } from '../../src/domain/retrieval/events.ts';

let position = 0;
const said = (kind: FeedbackKind, more: Partial<Judgement> = {}): Judgement => ({
  kind,
  principal: 'user:ada',
  score: defaultFeedbackScore[kind],
  position: ++position,
  isAuthoritative: true,
  ...more,
});
const same = { cosine: 0.99 };
const moved = (...judgements: Judgement[]) => feedbackOf(judgements, BGE_SMALL);

describe('a memory that does not hold', () => {
  it('[A20] [C12] is one whose writer or an admin says so, until that is withdrawn', () => {
    expect(isRefuted([said('outdated')])).toBe(true);
    expect(isRefuted([said('inaccurate')])).toBe(true);
    expect(isRefuted([said('outdated', { isAuthoritative: false })])).toBe(false);
    expect(isRefuted([said('duplicate'), said('irrelevant')])).toBe(false);
    expect(isRefuted([said('outdated'), said('outdated', { score: 1 })])).toBe(false);
    expect(isRefuted([said('outdated'), said('outdated', { score: 1, principal: 'user:bob' })])).toBe(true);
  });
});

describe('feedback on a memory', () => {
  it('[C12] outdated, inaccurate and duplicate lower its relevance for every question', () => {
    for (const kind of ['outdated', 'inaccurate', 'duplicate'] as const) {
      expect(moved(said(kind))).toBeLessThan(-0.5);
      expect(moved(said(kind, { score: -0.1 }))).toBeGreaterThan(moved(said(kind, { score: -1 })));
    }
  });

  it('[C12] counts only the latest one of each caller and kind', () => {
    const once = moved(said('outdated'));
    expect(moved(said('outdated'), said('outdated'), said('outdated'))).toBe(once);
    expect(moved(said('outdated'), said('outdated', { principal: 'user:bob' }))).toBeLessThan(once);
    const [earlier, later] = [said('outdated', { score: -1 }), said('outdated', { score: -0.1 })];
    expect(moved(later, earlier)).toBe(moved(later));
  });

  it.each([1, 0.2, 0])('[C12] is withdrawn by a score of %d of the same kind', (score) => {
    expect(moved(said('outdated'), said('outdated', { score }))).toBe(0);
    expect(moved(said('outdated'), said('inaccurate', { score }))).toBe(moved(said('outdated')));
  });

  it('[C12] is withdrawn for helpful by a score that is not above 0', () => {
    expect(moved(said('helpful', same), said('helpful', { ...same, score: -1 }))).toBe(0);
  });

  it('[C12] helpful and irrelevant apply to questions like the judged one', () => {
    expect(moved(said('helpful', same))).toBeGreaterThan(0.5);
    expect(moved(said('irrelevant', same))).toBeLessThan(-0.5);
    for (const kind of ['helpful', 'irrelevant'] as const) {
      const [near, nearer, apart] = [0.8, 0.85, 0.6].map((cosine) => Math.abs(moved(said(kind, { cosine }))));
      expect(apart).toBe(0);
      expect(near).toBeGreaterThan(0);
      expect(nearer).toBeGreaterThan(near!);
      expect(moved(said(kind))).toBe(0);
    }
  });

  it('[C12] uses the latest judgement of a similar question, not of another one', () => {
    expect(moved(said('helpful', same), said('helpful', { cosine: 0.5, score: -1 }))).toBeGreaterThan(0);
  });

  it('[C12] with an unknown model applies to the same question only', () => {
    expect(feedbackOf([said('helpful', { cosine: 0.97 })], UNKNOWN_MODEL)).toBe(0);
    expect(feedbackOf([said('helpful', { cosine: 1 })], UNKNOWN_MODEL)).toBeGreaterThan(0);
  });

  it('[C12] [D3] has a limited effect, however many callers agree', () => {
    const all = feedbackKinds.flatMap((kind) =>
      Array.from({ length: 1_000 }, (_, n) => said(kind, { principal: `user:${n}`, score: -1, ...same })),
    );
    expect(moved(...all)).toBeGreaterThanOrEqual(-MOST_FEEDBACK);
    expect(moved(...all)).toBeLessThan(-2.9);
    const helpful = Array.from({ length: 1_000 }, (_, n) =>
      said('helpful', { principal: `user:${n}`, ...same }),
    );
    expect(moved(...helpful)).toBeLessThanOrEqual(MOST_FEEDBACK);
  });

  it('[D3] moves the score by .03 per unit of log-odds, except a relevance of 0 or 1', () => {
    expect(scoreOf(withFeedback(0.05, -2))).toBeCloseTo(scoreOf(0.05) - 0.06);
    expect(withFeedback(0, 2)).toBe(0);
    expect(withFeedback(1, -2)).toBe(1);
    expect(withFeedback(0.4, 0)).toBe(0.4);
  });
});
