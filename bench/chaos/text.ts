import {
  fairRatio,
  fairnessTable,
  faultsTable,
  tenantsTable,
  type ChaosReport,
  type Table,
} from './report.ts';
import { clock } from './run.ts';

const shownViolations = 20;

/** The report in Markdown. */
export function textOf(report: ChaosReport): string {
  const { run, verdict, violations, skipped } = report;
  const outcomes = run.loads.flatMap((load) =>
    Object.entries(load.figures()).map(([kind, count]) => `${kind} ${count}`),
  );
  return [
    `# Chaos run: ${violations === 0 ? 'nothing was violated' : `${violations} violations`}`,
    '',
    `\`${report.command}\`, ${clock(run.totalMs)} min of load, ${verdict.events.toLocaleString('en-US')} events. ${report.machine}. ${report.finishedAt.slice(0, 10)}.`,
    '',
    '## Rules',
    '',
    ...table({
      columns: ['rule', 'checked', 'violations'],
      rows: verdict.rules.map(({ rule, checked, violations }) => [rule, checked, String(violations.length)]),
    }),
    ...verdict.rules.flatMap(({ violations }) =>
      violations.slice(0, shownViolations).map((line) => `- ${line}`),
    ),
    '',
    '## Fairness',
    '',
    `Searches of a quiet tenant (one request at a time) beside a flood of another one; at most ${fairRatio} times its p95 of calm times is wanted. Floods during which something else failed are left out.`,
    '',
    ...table(fairnessTable(report)),
    '',
    '## Latency by tenant',
    '',
    ...table(tenantsTable(report)),
    '',
    '## Faults',
    '',
    ...table(faultsTable(report)),
    ...skipped.map((line) => `\nNot injected: ${line}.`),
    '',
    '## Load',
    '',
    `Commands acknowledged of those sent: ${outcomes.join(', ')}.`,
    '',
  ].join('\n');
}

function table({ columns, rows }: Table): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(columns), line(columns.map(() => '---')), ...rows.map(line)];
}
