// node bin/run.mjs bench/personal-data.ts FILE: precision and recall of the recognisers of personal data.
// FILE has lines of {text, spans: [{type, start, end}]}. A find counts if type, start and end are right.
import { readFile } from 'node:fs/promises';
import { personalDataIn } from '../src/commands/entry/find-personal-data.ts';
import { personalDataTypes, type PersonalDataType } from '../src/domain/personal-data/policy.ts';

interface Span {
  readonly type: PersonalDataType;
  readonly start: number;
  readonly end: number;
}

const keyOf = ({ type, start, end }: Span): string => `${type} ${start} ${end}`;

export async function main([file]: string[]): Promise<void> {
  if (file === undefined) throw new Error('name a file of lines {text, spans}');
  const counts = new Map(personalDataTypes.map((type) => [type, { right: 0, wrong: 0, missed: 0 }]));
  for (const line of (await readFile(file, 'utf8')).trim().split('\n')) {
    const { text, spans } = JSON.parse(line) as { text: string; spans: Span[] };
    const found = await personalDataIn(text, personalDataTypes);
    const [gold, got] = [new Set(spans.map(keyOf)), new Set(found.map(keyOf))];
    for (const span of found) counts.get(span.type)![gold.has(keyOf(span)) ? 'right' : 'wrong']++;
    for (const span of spans) if (!got.has(keyOf(span))) counts.get(span.type)!.missed++;
  }
  const total = { right: 0, wrong: 0, missed: 0 };
  for (const count of counts.values())
    for (const key of ['right', 'wrong', 'missed'] as const) total[key] += count[key];
  for (const [type, { right, wrong, missed }] of [...counts, ['all', total] as const]) {
    const share = (of: number) => (right / Math.max(1, right + of)).toFixed(3);
    process.stdout.write(
      `${type.padEnd(12)} precision ${share(wrong)}  recall ${share(missed)}  n ${right + missed}\n`,
    );
  }
}
