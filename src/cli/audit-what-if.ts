import { setTimeout as sleep } from 'node:timers/promises';
import { Option, type Command } from 'commander';
import { ProblemError, type WhatIf, type WhatIfAnswer } from '../../packages/client/src/index.ts';
import { trustSources } from '../domain/trust/trust.ts';
import { connect } from './client.ts';
import { printable, printJson, table } from './output.ts';
import { assertPositionOrTime } from './positions.ts';

interface Options {
  readonly query?: string;
  readonly event?: string[];
  readonly memory?: string[];
  readonly actor?: string;
  readonly source?: string;
  readonly trust?: (typeof trustSources)[number];
  readonly feedbackOf?: string;
  readonly from?: string;
  readonly to?: string;
}

type Answer = WhatIfAnswer['answers'][number];
type Difference = Answer['differences'][number];

const waitMs = 20_000;

const kinds: Readonly<Record<Difference['kind'], string>> = {
  missing: 'would not be in it',
  added: 'would be in it',
  moved: 'would stand in another place',
  score: 'would have another score',
};

const causes: Readonly<Record<Difference['cause'], string>> = {
  'left-out': 'it is left out',
  follows: 'what is left out stood beside it, or said something about it',
};

export function addWhatIfCommand(audit: Command): void {
  audit
    .command('what-if')
    .description(
      'Show what would have been answered without some events: those for which all conditions hold',
    )
    .argument('[searchIds...]', 'searches that are run again as of the positions that they read')
    .option('--query <text>', 'a question that is asked now')
    .option('--memory <id...>', 'without these memories (repeatable)')
    .option('--actor <actor>', 'without what this actor did, such as agent:scraper')
    .option('--source <source>', 'without memories whose metadata have this `source`')
    .addOption(
      new Option('--trust <source>', 'without memories from this source of trust, such as web').choices(
        trustSources,
      ),
    )
    .option('--feedback-of <actor>', 'without the feedback and outcomes of this actor')
    .option('--event <id...>', 'without these events (repeatable)')
    .option('--from <when>', 'only events from this position or RFC 3339 time with an offset on')
    .option('--to <when>', 'only events up to this position or RFC 3339 time with an offset')
    .action(async (searches: string[], options: Options, command: Command) => {
      const { client, json } = connect(command);
      const { query, event: events, memory: memories, actor, source, trust, feedbackOf, from, to } = options;
      if (from !== undefined) await assertPositionOrTime(command, '--from <when>', from);
      if (to !== undefined) await assertPositionOrTime(command, '--to <when>', to);
      const asked: WhatIf = {
        without: { events, memories, actor, source, trust, feedbackOf, from, to },
        ...(searches.length > 0 && { searches }),
        query,
        waitMs,
      };
      const answer = await untilComputed(() => client.audit.whatIf(asked));
      if (json) return printJson(answer);
      console.log(inWords(answer));
    });
}

/** Asks again while the server computes, and says how far it is. */
async function untilComputed(ask: () => Promise<WhatIfAnswer>): Promise<WhatIfAnswer> {
  for (;;)
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ProblemError) || error.code !== 'position-timeout' || !error.retryAfter)
        throw error;
      console.error(`${error.detail}…`);
      await sleep(Math.min(error.retryAfter, 2) * 1_000);
    }
}

function inWords({ position, leftOut, answers, summaries, policies, values }: WhatIfAnswer): string {
  const memories = leftOut.memories.length;
  if (leftOut.events === 0)
    return `No event up to ${position} meets the conditions: there is nothing to leave out.`;
  return [
    `Without ${count(leftOut.events, 'event')}, so that ${count(memories, 'memory', 'memories')} would never have been stored:`,
    ...answers.map(answerInWords),
    ...section(
      `Summaries that would not be there, or say something else, at ${position}:`,
      ['scope', 'depth', 'made from'],
      summaries.map(({ layer, scope, depth, leftOut: gone }) => [
        printable([layer, ...Object.values(scope)].join(' ')),
        depth,
        `${count(gone.length, 'memory', 'memories')} left out`,
      ]),
    ),
    ...section(
      'Policies that learned from what is left out:',
      ['version', 'in force', 'decisions'],
      policies.map(({ version, inForce, decisions, leftOut: gone }) => [
        printable(version),
        inForce ? 'yes' : 'no',
        `${gone} of ${decisions}`,
      ]),
    ),
    ...section(
      'Memories with another value:',
      ['memory', 'importance'],
      values.map(({ memoryId, before, after }) => [
        printable(memoryId),
        `${before.toFixed(3)} -> ${after.toFixed(3)}`,
      ]),
    ),
  ].join('\n');
}

function answerInWords({ searchId, position, before, after, differences }: Answer): string {
  const what = searchId === undefined ? 'the question' : `search ${printable(searchId)}`;
  const results = count(after.results.length, 'result');
  if (differences.length === 0) return `\nThe same answer to ${what} as of ${position}: ${results}.`;
  const rows = differences.map(({ id, kind, cause }) => {
    const [then, again] = [before, after].map(
      ({ results }) => results.find(({ memoryId }) => memoryId === id)?.rank ?? '-',
    );
    return [printable(id), `${then} -> ${again}`, kinds[kind], causes[cause]];
  });
  return [
    `\nAnother answer to ${what} as of ${position}: ${results} instead of ${before.results.length}.`,
    table([['memory', 'place', 'difference', 'why'], ...rows]),
  ].join('\n');
}

function section(title: string, head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return rows.length === 0 ? [] : [`\n${title}`, table([[...head], ...rows.map((row) => [...row])])];
}

function count(number: number, one: string, many = `${one}s`): string {
  return `${number} ${number === 1 ? one : many}`;
}
