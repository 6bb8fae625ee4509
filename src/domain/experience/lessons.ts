import { groupBy } from '../group-by.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../json.ts';
import { queryTerms } from '../text/tokens.ts';
import { truncate } from '../text/truncate.ts';
import { successShares, type TraceOutcome, type TraceTexts } from './trace.ts';

/** An attempt that a lesson may be drawn from. */
export interface Attempt extends TraceTexts {
  readonly id: string;
  readonly outcome: TraceOutcome;
  /** In the log. */
  readonly position: number;
}

export interface Lesson {
  readonly title: string;
  readonly description: string;
  readonly content: string;
  /** Attempts that succeeded by the approach that it recommends. */
  readonly support: number;
  /** Attempts that failed by it; all failed attempts if the lesson recommends nothing. */
  readonly failures: number;
}

/** Attempts by the same approach, the newest first. */
interface Approach {
  readonly attempts: readonly Attempt[];
  readonly successes: number;
  readonly failures: number;
  /** Mean success under a uniform prior, so that one success is worth less than three. */
  readonly worth: number;
}

/** What differs between the attempts at similar questions. */
export interface Findings {
  /** Attempts with an outcome, the newest first. */
  readonly attempts: readonly Attempt[];
  /** The approach to recommend. */
  readonly works: Approach | undefined;
  readonly failing: readonly Approach[];
  /** Approaches that neither succeeded nor failed. */
  readonly partial: readonly Approach[];
}

/** Name and version of the rules. Rules that write different lessons from the same attempts need a new name. */
export const rules = 'rules-1';

const leastAttempts = 2;
/** An approach is recommended while it is more likely to succeed than to fail. */
const leastWorth = 0.5;
const longestTitle = 160;
const longestQuote = 200;
const mostListed = 3;

/**
 * What works and what fails. The approach with the best record works if it is more likely to succeed than to fail. Undefined if there
 * are too few attempts with an outcome.
 */
export function findingsOf(all: readonly Attempt[]): Findings | undefined {
  const attempts = all
    .filter(({ outcome }) => outcome !== 'pending')
    .sort((left, right) => right.position - left.position);
  if (attempts.length < leastAttempts) return undefined;
  const approaches = approachesOf(attempts);
  const [best] = approaches;
  const works = best !== undefined && best.successes > 0 && best.worth > leastWorth ? best : undefined;
  const failing = approaches.filter((approach) => approach !== works && approach.failures > 0);
  const partial = approaches.filter(({ successes, failures }) => successes === 0 && failures === 0);
  return { attempts, works, failing, partial };
}

/**
 * The lesson that the rules draw from attempts at similar questions, in the words of the attempts: the approach that works, the parameters
 * that set it apart from those that failed, and what to avoid.
 */
export function lessonOf({ attempts, works, failing, partial }: Findings): Lesson {
  const [newest] = works?.attempts ?? attempts;
  const title = truncate(`Questions like: ${oneLine(newest!.query)}`, longestTitle);
  return {
    title,
    description: works ? describeWorking(works, failing) : describeFailing(attempts),
    content: [
      ...(works ? advice(works, failing) : partial.slice(0, mostListed).map(workedInPart)),
      ...failing.slice(0, mostListed).map(avoid),
    ].join('\n'),
    support: works?.successes ?? 0,
    failures: works ? works.failures : attempts.filter(({ outcome }) => outcome === 'failure').length,
  };
}

/** The approaches, best first; the one that was tried last comes first among equals. */
function approachesOf(attempts: readonly Attempt[]): Approach[] {
  return [...groupBy(attempts, keyOf).values()]
    .map((own) => {
      const won = own.reduce((sum, { outcome }) => sum + successShares[outcome], 0);
      return {
        attempts: own,
        successes: own.filter(({ outcome }) => outcome === 'success').length,
        failures: own.filter(({ outcome }) => outcome === 'failure').length,
        worth: (won + 1) / (own.length + 2),
      };
    })
    .sort((left, right) => right.worth - left.worth);
}

/** Two attempts have the same approach if they describe it in the same words and have the same parameters. */
function keyOf({ approach, strategy }: Attempt): string {
  return `${queryTerms(approach).sort().join(' ')}\n${strategy ? canonicalJson(strategy) : ''}`;
}

function describeWorking({ attempts, successes, failures }: Approach, failing: readonly Approach[]): string {
  const [{ approach }] = attempts as [Attempt];
  const worked = `${quote(approach)} worked ${times(successes)}`;
  const failed = failures > 0 ? ` and failed ${times(failures)}` : '';
  const [other] = failing;
  const instead = other ? `; ${quote(other.attempts[0]!.approach)} failed ${times(other.failures)}` : '';
  return `${worked}${failed}${instead}.`;
}

function describeFailing(attempts: readonly Attempt[]): string {
  return `None of ${attempts.length} attempts worked reliably: try something else.`;
}

function advice(works: Approach, failing: readonly Approach[]): string[] {
  const [latest] = works.attempts as [Attempt];
  const factors = distinct(works.attempts.flatMap(({ successFactors }) => factorsOf(successFactors)));
  const differences = differencesOf(
    latest.strategy,
    failing.flatMap(({ attempts }) => attempts.map(({ strategy }) => strategy)),
  );
  return [
    `Do: ${oneLine(latest.approach)}`,
    ...(differences.length > 0 ? [`Unlike what failed: ${differences.join(', ')}`] : []),
    ...(factors.length > 0 ? [`What helped: ${factors.slice(0, mostListed).join('; ')}`] : []),
  ];
}

function workedInPart({ attempts }: Approach): string {
  return `Worked only in part: ${oneLine(attempts[0]!.approach)}`;
}

function avoid({ attempts }: Approach): string {
  const failed = attempts.filter(({ outcome }) => outcome === 'failure');
  const reasons = distinct(
    failed.flatMap(({ failureReason }) => (failureReason === undefined ? [] : [oneLine(failureReason)])),
  );
  const because = reasons.length > 0 ? ` (${reasons.slice(0, mostListed).join('; ')})` : '';
  return `Avoid: ${oneLine(failed[0]!.approach)}${because}`;
}

/** The parameters with a value that no failed attempt had. */
function differencesOf(
  strategy: JsonObject | undefined,
  failed: readonly (JsonObject | undefined)[],
): string[] {
  if (failed.length === 0) return [];
  return Object.entries(strategy ?? {}).flatMap(([name, value]) => {
    const others = failed.map((other) => other?.[name]);
    if (others.some((other) => canonicalJson(other) === canonicalJson(value))) return [];
    const known = distinct(others.flatMap((other) => (other === undefined ? [] : [shown(other)])));
    const instead = known.length > 0 ? ` instead of ${known.slice(0, mostListed).join(' or ')}` : '';
    return [`${name} ${shown(value)}${instead}`];
  });
}

function factorsOf(factors: TraceTexts['successFactors']): string[] {
  if (factors === undefined) return [];
  if (isList(factors)) return factors.map(oneLine);
  return Object.entries(factors).map(([name, value]) => oneLine(`${name}: ${shown(value)}`));
}

function isList(factors: NonNullable<TraceTexts['successFactors']>): factors is readonly string[] {
  return Array.isArray(factors);
}

function shown(value: JsonValue): string {
  return typeof value === 'string' ? value : truncate(canonicalJson(value), longestQuote);
}

function oneLine(text: string): string {
  return truncate(text.replaceAll(/\s+/g, ' ').trim(), longestQuote);
}

function quote(text: string): string {
  return `“${oneLine(text)}”`;
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
