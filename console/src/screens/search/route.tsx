import type { AuditedSearch } from '@stratalog/client';
import { Badge } from '../../ui/badge.tsx';
import { Bars } from '../../ui/bars.tsx';
import { rounded } from '../../ui/rounded.ts';
import { Facts, Table } from '../../ui/table.tsx';

/** Why a search took its route. */
type RouteChoice = Pick<
  AuditedSearch,
  'route' | 'reason' | 'score' | 'threshold' | 'signals' | 'policyVersion' | 'arms' | 'propensities'
>;

type Trajectory = NonNullable<AuditedSearch['trajectory']>;

const routeWords: Readonly<Record<string, string>> = {
  standard: 'Simple: one search',
  decomposition: 'Complex: the question was split into parts',
  'multi-hop': 'Over several hops, as the caller asked',
};

const reasonWords: Readonly<Record<string, string>> = {
  complex: 'the question counts as complex',
  'below-threshold': 'the question counts as simple',
  'asked-for-standard': 'the caller asked for the standard route',
  'as-of': 'the caller asked about the past',
  'switched-off': 'the tenant has switched the other route off',
  'kill-switch': 'an operator has stopped the other route',
  disabled: 'the other route is disabled',
  'not-in-share': 'the session is not in the share that gets the other route',
  shadow: 'the other route ran afterwards, only to compare',
  learned: 'the learned policy chose it',
  explored: 'it was tried out, to learn from it',
};

const actionWords: Readonly<Record<Trajectory['steps'][number]['action'], string>> = {
  SearchLayer: 'search',
  DrillDown: 'search within what was found',
  FilterByRelevance: 'keep what is relevant',
  FilterByRecency: 'keep what is recent',
  RecursiveCall: 'split a part further',
  Aggregate: 'put the parts together',
  FollowLinks: 'follow links',
  FollowMentions: 'follow mentions',
};

/** Which route a search took and why: the signals of the question against the threshold. */
export function RouteView({ choice }: { readonly choice: RouteChoice }) {
  const { route, reason, score, threshold, signals = [], policyVersion, arms, propensities } = choice;
  return (
    <>
      <Facts
        facts={[
          ['Route', routeWords[route] ?? route],
          ['Because', reason && (reasonWords[reason] ?? reason)],
          [
            'Complexity',
            score !== undefined && threshold !== undefined
              ? `${rounded(score)}; complex from ${rounded(threshold)}`
              : undefined,
          ],
          ['Policy', policyVersion],
          [
            'Chances',
            arms && arms.length > 1
              ? arms.map((arm, index) => `${arm} ${rounded((propensities?.[index] ?? 0) * 100)} %`).join(', ')
              : undefined,
          ],
        ]}
      />
      {signals.length > 0 && (
        <Bars
          label="Signals of the question"
          largest={1}
          bars={signals.map(({ name, value, weight }) => ({
            name,
            value,
            note: `counts with the weight ${weight}`,
            text: `${rounded(value)} × ${weight}`,
          }))}
        />
      )}
    </>
  );
}

/** How a complex question was split into parts, and what each step found. */
export function TrajectoryView({
  trajectory,
  where,
}: {
  readonly trajectory: Trajectory;
  /** Which answer the steps belong to, after "Steps". */
  readonly where: string;
}) {
  const { outcome, interruption, strategy, planning, steps, reasoning, plan } = trajectory;
  return (
    <>
      <Facts
        facts={[
          [
            'Outcome',
            <>
              <Badge tone={outcome === 'complete' ? 'good' : 'warn'}>{outcome}</Badge> {interruption}
            </>,
          ],
          ['Shown', trajectory.shown ? 'yes' : 'no: the caller got the standard route'],
          ['Strategy', strategy],
          [
            'Planned by',
            planning
              .map(({ by, reason, durationMs }) =>
                [by, reason && `(${reason})`, `in ${Math.round(durationMs)} ms`].filter(Boolean).join(' '),
              )
              .join('; '),
          ],
          [
            'Spent',
            `${Math.round(trajectory.durationMs)} ms, ${trajectory.queries} searches, ${trajectory.tokens.toLocaleString()} tokens, depth ${trajectory.maxDepth}`,
          ],
          [
            'Against standard',
            trajectory.difference &&
              `${trajectory.difference.shared} shared, ${trajectory.difference.added} added, ${trajectory.difference.missing} missing`,
          ],
        ]}
      />
      {plan && (
        <details>
          <summary>The plan</summary>
          <pre tabIndex={0}>{JSON.stringify(plan, null, 2)}</pre>
        </details>
      )}
      <Table
        label={`Steps ${where}`}
        rows={steps}
        keyOf={({ step }) => String(step)}
        columns={[
          {
            name: 'Step',
            cell: ({ step, parent }) => (parent === undefined ? step : `${step} of ${parent}`),
          },
          { name: 'Action', cell: ({ action }) => actionWords[action] },
          { name: 'What it looked for', cell: ({ arguments: given }) => argumentsInWords(given) },
          {
            name: 'Status',
            cell: ({ status, reason }) => (
              <Badge tone={status === 'done' ? 'good' : 'warn'}>
                {status}
                {reason && `: ${reason}`}
              </Badge>
            ),
          },
          { name: 'Found', isNumber: true, cell: ({ found }) => found },
          { name: 'ms', isNumber: true, cell: ({ durationMs }) => rounded(durationMs) },
          { name: 'Tokens', isNumber: true, cell: ({ tokens }) => tokens },
        ]}
      />
      {reasoning.some(({ why, searches }) => why !== undefined || searches) && (
        <Table
          label={`How the searches were chosen ${where}`}
          rows={reasoning.map((trace, index) => ({ ...trace, index }))}
          keyOf={({ index }) => String(index)}
          columns={[
            { name: 'Step', cell: ({ step }) => step ?? '' },
            { name: 'Strategy', cell: ({ strategy, reason }) => `${strategy} (${reason})` },
            { name: 'Why', cell: ({ why }) => why ?? '' },
            {
              name: 'Searches',
              cell: ({ searches }) => searches?.map(({ query }) => query).join(' · ') ?? '',
            },
          ]}
        />
      )}
    </>
  );
}

function argumentsInWords(given: Readonly<Record<string, unknown>> | undefined): string {
  return Object.entries(given ?? {})
    .filter(([, value]) => JSON.stringify(value) !== '{}')
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
}
