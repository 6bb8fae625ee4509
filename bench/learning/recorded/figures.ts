import { mean } from '../../ranking/metrics.ts';
import type { Attempt } from './agent.ts';

/** Share of the attempts whose first answer was a success. */
export function successRate(attempts: readonly Attempt[]): number {
  return mean(attempts.map(({ first }) => Number(first)));
}

export function meanCalls(attempts: readonly Attempt[]): number {
  return mean(attempts.map(({ calls }) => calls));
}

export function printLine(name: string, figures: Readonly<Record<string, number>>): void {
  const shown = Object.entries(figures).map(([figure, value]) => `${figure} ${value.toFixed(3)}`);
  console.log(`  ${name.padEnd(36)} ${shown.join('   ')}`);
}
