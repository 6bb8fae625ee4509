import { expect, it } from 'vitest';
import { Rotation } from '../../src/adapters/flat/rotation.ts';
import { randomOf } from '../support/random.ts';

it.each([3, 64, 100, 384, 512, 1_536])(
  '[A5] the rotation of %i numbers keeps distances and is always the same',
  (dimension) => {
    const random = randomOf(dimension);
    const draw = () => Float32Array.from({ length: dimension }, () => random.next() - 0.5);
    const dot = (left: Float32Array, right: Float32Array) =>
      left.reduce((sum, number, at) => sum + number * right[at]!, 0);
    const rotation = new Rotation(dimension);
    for (let run = 0; run < 20; run++) {
      const [left, right] = [draw(), draw()];
      const [a, b] = [rotation.of(left).slice(), rotation.of(right).slice()];
      expect(dot(a, b) / rotation.dimension).toBeCloseTo(dot(left, right), 3);
      expect(dot(a, a) / rotation.dimension).toBeCloseTo(dot(left, left), 3);
      expect(new Rotation(dimension).of(left)).toEqual(a);
    }
  },
);

it('[A5] what stands in one number stands in all of them then', () => {
  const rotation = new Rotation(384);
  const alone = new Float32Array(384);
  alone[17] = 1;
  expect(new Set(rotation.of(alone).map(Math.abs))).toEqual(new Set([1]));
});
