import { saysMoreThan, termsOf } from '../grounding/support.ts';
import { groupBy } from '../group-by.ts';
import { canonicalJson, type JsonObject, type JsonValue } from '../json.ts';
import { queryTerms } from '../text/tokens.ts';
import { truncate } from '../text/truncate.ts';
import { successShares, type TraceOutcome, type TraceTexts } from './trace.ts';

/** An attempt that a lesson may be drawn from. */
export interface Attempt extends TraceTexts {
  readonly id: string;
  readonly outcome: TraceOutcome;
  /** The space that it names. */
  readonly space?: string | undefined;
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
  /** Failures since the last attempt that did not fail. */
  readonly failuresInRow: number;
  /** How likely it is to succeed now, 0 to 1 (`worthOf`). */
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
export const rules = 'rules-2';

const leastAttempts = 2;
/** An approach is recommended while it is more likely to succeed than to fail. */
const leastWorth = 0.5;
/**
 * An attempt counts this much of the next attempt by the same approach. With .8, all older attempts together weigh less than four failures
 * in a row, so an approach that stopped working is given up after at most four, however often it worked before.
 */
const decay = 0.8;
const longestTitle = 160;
const longestQuote = 200;
const mostListed = 3;

/**
 * What works and what fails. The approach with the best record works if it is more likely to succeed than to fail. Undefined if there
 * are too few attempts with an outcome, or if the lesson would only repeat the questions.
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
  const findings = { attempts, works, failing, partial };
  return saysMoreThanQuestions(findings) ? findings : undefined;
}

/**
 * Whether a lesson from these attempts says more than their questions do: which of several approaches to choose, or something that is not
 * in the question of the attempt, about how it was answered, what helped, or why it failed.
 */
function saysMoreThanQuestions({ attempts, works, failing }: Findings): boolean {
  if (works && failing.length > 0) return true;
  return attempts.some(({ query, approach, failureReason = '', successFactors }) =>
    saysMoreThan([approach, failureReason, ...factorsOf(successFactors)].join('\n'), termsOf(query)),
  );
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
    description: works ? describeWorking(works, failing) : describeFailing(attempts, failing),
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
      const lastOther = own.findIndex(({ outcome }) => outcome !== 'failure');
      return {
        attempts: own,
        successes: own.filter(({ outcome }) => outcome === 'success').length,
        failures: own.filter(({ outcome }) => outcome === 'failure').length,
        failuresInRow: lastOther < 0 ? own.length : lastOther,
        worth: worthOf(own),
      };
    })
    .sort((left, right) => right.worth - left.worth);
}

/**
 * Mean success, 0 to 1, under a uniform prior, so that one success is worth less than three. The newest attempt has the weight 1, and each
 * older one .8 of the next.
 *
 * @param attempts By one approach, the newest first.
 */
function worthOf(attempts: readonly Attempt[]): number {
  let [successes, all] = [0, 0];
  for (const [age, { outcome }] of attempts.entries()) {
    const weight = decay ** age;
    successes += weight * successShares[outcome];
    all += weight;
  }
  return (successes + 1) / (all + 2);
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

function describeFailing(attempts: readonly Attempt[], failing: readonly Approach[]): string {
  const gaveWay = failing.find(({ successes, failuresInRow }) => successes > 0 && failuresInRow > 0);
  if (!gaveWay) return `None of ${attempts.length} attempts worked reliably: try something else.`;
  const { attempts: own, successes, failuresInRow } = gaveWay;
  return `${quote(own[0]!.approach)} worked ${times(successes)}, but then failed ${times(failuresInRow)}: try something else.`;
}

function advice(works: Approach, failing: readonly Approach[]): string[] {
  const [latest] = works.attempts as [Attempt];
  const factors = distinct(works.attempts.flatMap(({ successFactors }) => factorsOf(successFactors)));
  const reasons = reasonsOf(works);
  const differences = differencesOf(
    latest.strategy,
    failing.flatMap(({ attempts }) => attempts.map(({ strategy }) => strategy)),
  );
  return [
    `Do: ${oneLine(latest.approach)}`,
    ...(differences.length > 0 ? [`Unlike what failed: ${differences.join(', ')}`] : []),
    ...(factors.length > 0 ? [`What helped: ${listed(factors)}`] : []),
    ...(reasons.length > 0 ? [`Why it failed at times: ${listed(reasons)}`] : []),
  ];
}

function workedInPart({ attempts }: Approach): string {
  return `Worked only in part: ${oneLine(attempts[0]!.approach)}`;
}

function avoid(failing: Approach): string {
  const failed = failing.attempts.find(({ outcome }) => outcome === 'failure')!;
  const reasons = reasonsOf(failing);
  const because = reasons.length > 0 ? `, because: ${listed(reasons)}` : '';
  return `Avoid: ${oneLine(failed.approach)}${because}`;
}

/** Why an approach failed, the newest reason first. */
function reasonsOf({ attempts }: Approach): string[] {
  const failed = attempts.filter(({ outcome }) => outcome === 'failure');
  return distinct(
    failed.flatMap(({ failureReason }) => (failureReason === undefined ? [] : [oneLine(failureReason)])),
  );
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

function listed(texts: readonly string[]): string {
  return texts.slice(0, mostListed).join('; ');
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
