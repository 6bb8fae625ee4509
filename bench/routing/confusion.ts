// Confusion matrix of the router on labelled questions. See README.md.
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { complexityOf } from '../../src/domain/routing/complexity.ts';

interface Question {
  readonly query: string;
  readonly type: string;
  readonly category?: string;
}

export async function main(args: string[]): Promise<void> {
  const { values } = parseArgs({
    args,
    options: {
      data: { type: 'string' },
      set: { type: 'string', default: 'orgmem' },
      threshold: { type: 'string', default: '0.3' },
      show: { type: 'boolean', default: false },
    },
  });
  if (values.data === undefined)
    throw new Error('usage: confusion.ts --data DIR [--set NAME] [--threshold .3] [--show]');
  const file = path.join(values.data, values.set, 'queries.jsonl');
  const questions = (await readFile(file, 'utf8'))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Question);
  const threshold = Number(values.threshold);
  const decided = questions.map((question) => ({ ...question, ...complexityOf(question.query) }));
  console.log('category type questions routed share score');
  for (const by of ['category', 'type'] as const) {
    for (const name of [...new Set(decided.map((one) => one[by] ?? 'unlabelled'))].sort()) {
      const some = decided.filter((one) => (one[by] ?? 'unlabelled') === name);
      const routed = some.filter(({ score }) => score >= threshold).length;
      const mean = some.reduce((sum, { score }) => sum + score, 0) / some.length;
      console.log(
        [by, name, some.length, routed, (routed / some.length).toFixed(3), mean.toFixed(3)].join(' '),
      );
    }
  }
  if (!values.show) return;
  for (const { category, query, score, signals } of decided) {
    if (score >= threshold === (category === 'complex')) continue;
    const said = Object.values(signals).map((value) => value.toFixed(2));
    console.log(`${category} ${score.toFixed(2)} [${said.join(' ')}] ${query.slice(0, 160)}`);
  }
}
