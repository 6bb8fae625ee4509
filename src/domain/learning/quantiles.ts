/**
 * The value that a standard normal variable exceeds with probability `tail`, 0 < tail ≤ 0.5. Abramowitz and Stegun, Handbook of
 * Mathematical Functions, 26.2.23; the error is below 0.00045.
 */
export function normalQuantile(tail: number): number {
  const t = Math.sqrt(-2 * Math.log(tail));
  const above = 2.515_517 + t * (0.802_853 + t * 0.010_328);
  const below = 1 + t * (1.432_788 + t * (0.189_269 + t * 0.001_308));
  return t - above / below;
}

/**
 * The same for Student's t with the given degrees of freedom. Abramowitz and Stegun 26.7.5 with three terms; good to 0.01 from ten
 * degrees of freedom on.
 */
export function studentQuantile(tail: number, degrees: number): number {
  const z = normalQuantile(tail);
  const [z3, z5, z7] = [z ** 3, z ** 5, z ** 7];
  return (
    z +
    (z3 + z) / (4 * degrees) +
    (5 * z5 + 16 * z3 + 3 * z) / (96 * degrees ** 2) +
    (3 * z7 + 19 * z5 + 17 * z3 - 15 * z) / (384 * degrees ** 3)
  );
}
