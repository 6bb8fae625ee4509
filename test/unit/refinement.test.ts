import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isRefinement } from '../../src/domain/learning/refinement.ts';

describe('[C1] a question refines an earlier one', () => {
  it.each([
    ['build time', 'build time in minutes on two cores'],
    ['How are signing keys rotated?', 'How often are signing keys rotated by the platform?'],
    ['retry policy of Billing for payments', 'retry policy of Billing'],
    ['vacation policy', 'vacation policies for contractors'],
    ['部署需要几个密钥', '生产环境部署需要几个密钥'],
  ])('that adds or leaves out words: %s / %s', (earlier, later) => {
    expect(isRefinement(earlier, later)).toBe(true);
  });

  it.each([
    ['which team owns billing', 'which team owns search'],
    ['build time', 'keys of deploys'],
    ['How long does the build take?', 'Where is the office?'],
  ])('but not one about something else: %s / %s', (earlier, later) => {
    expect(isRefinement(earlier, later)).toBe(false);
  });

  it('but does not repeat it, however it is written', () => {
    expect(isRefinement('How long does the build take?', 'how LONG does the build take')).toBe(false);
    fc.assert(fc.property(fc.string(), (text) => !isRefinement(text, text)));
  });

  it('in either direction alike, whatever the texts are', () => {
    const word = fc.constantFrom('build', 'deploy', 'key', 'team', 'retry', 'the', 'of', '');
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    fc.assert(fc.property(text, text, (one, other) => isRefinement(one, other) === isRefinement(other, one)));
  });
});
