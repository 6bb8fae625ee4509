import type { Command } from 'commander';
import type { ReplayedSearch } from '../../packages/client/src/index.ts';
import { connect } from './client.ts';
import { printable, printJson, table } from './output.ts';

type Difference = ReplayedSearch['differences'][number];

const kinds: Readonly<Record<Difference['kind'], string>> = {
  missing: 'is missing now',
  added: 'was not in the answer',
  moved: 'stands in another place',
  score: 'has another score',
};

const causes: Readonly<Record<Difference['cause'], string>> = {
  erased: 'it, or a memory beside it, was erased',
  changed: 'the state at that position cannot be restored exactly',
  model: 'another embedding model compares meaning',
  weights: 'the answer was found by another route',
  feedback: 'feedback or the value of memories counted otherwise',
  scope: 'what the caller could see is not known exactly',
};

export function addReplayCommand(audit: Command): void {
  audit
    .command('replay')
    .description('Run a recorded search again as of the position that it read, and explain each difference')
    .argument('<searchId>', '`searchId` of the answer, also from `audit events --type SearchPerformed`')
    .action(async (searchId: string, _: object, command: Command) => {
      const { client, json } = connect(command);
      const replayed = await client.audit.replay(searchId);
      if (json) return printJson(replayed);
      console.log(inWords(replayed));
    });
}

function inWords({ position, asRecorded, now, differences }: ReplayedSearch): string {
  const count = now.results.length;
  const results = `${count} ${count === 1 ? 'result' : 'results'} as of ${position}`;
  if (differences.length === 0) return `The same answer: ${results}.`;
  const rows = differences.map(({ id, kind, cause }) => {
    const [then, again] = [asRecorded, now].map(({ results }) =>
      results.find(({ memoryId }) => memoryId === id),
    );
    return [
      printable(id),
      `${placeOf(then)} -> ${placeOf(again)}`,
      kinds[kind],
      `${cause}: ${causes[cause]}`,
    ];
  });
  return [
    `Another answer: ${results}, ${asRecorded.results.length} recorded.`,
    table([['memory', 'place and score', 'difference', 'cause'], ...rows]),
  ].join('\n');
}

function placeOf(result: ReplayedSearch['now']['results'][number] | undefined): string {
  if (!result) return '-';
  return result.score === undefined ? `${result.rank}` : `${result.rank} (${result.score.toFixed(3)})`;
}
