import type { PolicyFigures } from '@stratalog/client';
import { rounded } from '../../ui/rounded.ts';
import { Facts } from '../../ui/table.tsx';
import { gainOf, gainText } from './verdicts.ts';

const estimate = ({ value, error }: { readonly value: number; readonly error?: number }): string =>
  `${rounded(value)}${error === undefined ? '' : ` ± ${rounded(error)}`}`;

/** What the log says about a version instead of another one, by three estimators. */
export function EvaluationFigures({ figures }: { readonly figures: PolicyFigures }) {
  const { decisions, deviating, matched, opposed, effectiveSize, ips, snips, doublyRobust, leastWithoutOne } =
    figures;
  return (
    <Facts
      facts={[
        ['gain, interval of 95 %', gainText(gainOf(figures))],
        ['doubly robust', estimate(doublyRobust)],
        ['SNIPS', estimate(snips)],
        ['IPS', estimate(ips)],
        ['decisions', decisions.toLocaleString()],
        ['share that deviates', `${Math.round(deviating * 100)} %`],
        ['matched, opposed', `${rounded(matched)}, ${rounded(opposed)}`],
        ['effective sample size', rounded(effectiveSize)],
        ['least gain without one caller', leastWithoutOne !== undefined && rounded(leastWithoutOne)],
      ]}
    />
  );
}
