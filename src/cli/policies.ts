import { Command } from 'commander';
import type { Policies, PolicyEvaluation } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { printJson, table } from './output.ts';
import { askedAsOf } from './positions.ts';

export function policiesCommand(): Command {
  const command = new Command('policies').description(
    'Show, compare, promote and roll back what the server has learned about the routes of questions',
  );
  command
    .command('list')
    .description('List the versions with their figures')
    .option('--as-of <when>', 'list those of a position or an RFC 3339 time with an offset')
    .action(list);
  command
    .command('evaluate')
    .description('Compare a version with the one in force, and that one with the one before it')
    .argument('[version]', 'default: the candidate or, without one, the version in force')
    .action(evaluate);
  command
    .command('promote')
    .description('Let a version choose all routes of the tenant')
    .argument('[version]', 'default: the candidate')
    .option('--force', 'even if it is not proven to be better; only for admins')
    .action(promote);
  command
    .command('rollback')
    .description('Take a version out of traffic: the one before it chooses the routes again')
    .argument('[version]', 'default: the canary, or the version in force')
    .action(rollback);
  return command;
}

async function list({ asOf }: { readonly asOf?: string }, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const policies = await client.admin.policies.list(await askedAsOf(command, asOf));
  if (json) return printJson(policies);
  const { decisions, exploration, looks, needed } = policies;
  console.log(listed(policies));
  console.log(
    `learned from ${decisions} decisions; ${percent(exploration)} of the questions explore; ${looks} looks, the next at ${needed} matched deviations`,
  );
}

async function evaluate(version: string | undefined, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const asked = version ?? (await client.admin.policies.list()).candidate;
  const evaluation = await client.admin.policies.evaluation(asked);
  if (json) return printJson(evaluation);
  console.log(evaluated(evaluation));
}

async function promote(
  version: string | undefined,
  { force = false }: { readonly force?: boolean },
  command: Command,
): Promise<void> {
  const { client, json } = connect(command);
  const asked = version ?? (await client.admin.policies.list()).candidate;
  const changed = await client.admin.policies.promote(asked, { force });
  if (json) return printJson(changed);
  console.log(`in force: ${changed.inForce}`);
}

async function rollback(version: string | undefined, _: unknown, command: Command): Promise<void> {
  const { client, json } = connect(command);
  const live = version === undefined ? await client.admin.policies.list() : undefined;
  const changed = await client.admin.policies.rollback(version ?? live!.canary ?? live!.inForce);
  if (json) return printJson(changed);
  console.log(`in force: ${changed.inForce}`);
}

function listed({ items }: Policies): string {
  const rows = items.map(({ version, state, observed, figures, comparedWith = '' }) => {
    const share = (arm: string, of: 'propensity' | 'success') =>
      percent(observed?.arms.find((one) => one.arm === arm)?.[of]);
    return [
      version,
      state,
      String(observed?.decisions ?? 0),
      share('decomposition', 'propensity'),
      share('standard', 'success'),
      share('decomposition', 'success'),
      figures ? gainOf(figures.doublyRobust.value, figures.interval) : '',
      comparedWith,
    ];
  });
  const success = ['success without', 'success with'];
  const header = ['version', 'state', 'decisions', 'decomposed', ...success, 'gain', 'over'];
  return table([header, ...rows]);
}

function evaluated(evaluation: PolicyEvaluation): string {
  const { version, incumbent, comparedWith, verdict, reason, figures, needed } = evaluation;
  const { matched, opposed, decisions, effectiveSize, ips, snips } = figures;
  const named = (one: string): string => (one === incumbent ? `${one} (in force)` : one);
  const deviations =
    version === incumbent
      ? `${matched.toFixed(0)} matched and ${opposed.toFixed(0)} opposed deviations`
      : `${matched.toFixed(0)} of ${needed} matched deviations`;
  return [
    `${named(version)} instead of ${named(comparedWith)}: ${verdict} (${reason})`,
    `gain: ${gainOf(figures.doublyRobust.value, figures.interval)}; SNIPS ${signed(snips.value)}, IPS ${signed(ips.value)}`,
    `evidence: ${decisions} decisions, ${deviations}, effective sample size ${effectiveSize.toFixed(0)}`,
  ].join('\n');
}

/** A gain in units of the reward, with its interval if there is one. */
export function gainOf(value: number, interval: readonly number[] | undefined): string {
  return interval ? `${signed(value)} [${interval.map(signed).join(', ')}]` : signed(value);
}

const signed = (value: number): string => `${value < 0 ? '' : '+'}${value.toFixed(3)}`;

const percent = (share: number | undefined): string =>
  share === undefined ? '' : `${Math.round(100 * share)} %`;
