import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { dotProduct } from '../src/domain/dot-product.ts';
import { haveSameFacts } from '../src/domain/duplicates/same-facts.ts';
import { mediansOf, pairedQuestions, similarity } from '../src/domain/experience/similarity.ts';
import { toldForm } from '../src/domain/memory/affirmation.ts';
import { openModel } from './ranking/embed.ts';

interface Pair {
  readonly id: string;
  readonly a: string;
  readonly b: string;
  readonly duplicate: 'exact' | 'near' | 'no';
}

const usage = 'node bin/run.mjs bench/duplicates.ts FILE [--embedder MODEL] [--threshold .95]';

/**
 * Measures what spaces say of pairs of texts: FILE has a line `{id, a, b, duplicate}` for each pair, whose `duplicate` is `exact`, `near`
 * or `no`. `told again` is what `dedupStrategy: "exact"` finds, `collected` what `semantic` finds besides; `same facts` are those whose
 * similarity is too low for that.
 */
export async function main(args: string[]): Promise<void> {
  const { values, positionals } = parseArgs({
    args,
    options: { embedder: { type: 'string' }, threshold: { type: 'string', default: '0.95' } },
    allowPositionals: true,
  });
  const [file] = positionals;
  if (file === undefined) throw new Error(usage);
  const pairs = readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Pair);
  const similarityOf = await openSimilarity(values.embedder);
  const verdicts: Record<Pair['duplicate'], Record<string, number>> = { exact: {}, near: {}, no: {} };
  let [found, right] = [0, 0];
  for (const { id, a, b, duplicate } of pairs) {
    const verdict = await judge(a, b, Number(values.threshold), similarityOf);
    const isFound = verdict === 'told again' || verdict === 'collected';
    verdicts[duplicate][verdict] = (verdicts[duplicate][verdict] ?? 0) + 1;
    if (isFound) found++;
    if (isFound && duplicate !== 'no') right++;
    if (isFound !== (duplicate !== 'no')) console.log(`${id}: ${duplicate}, judged as ${verdict}`);
  }
  console.table(verdicts);
  console.log(`precision ${(right / found).toFixed(3)} (${right} of ${found})`);
  process.exit(0);
}

async function judge(
  a: string,
  b: string,
  threshold: number,
  similarityOf: (a: string, b: string) => Promise<number>,
): Promise<string> {
  if (toldForm(a) === toldForm(b)) return 'told again';
  if (!haveSameFacts(a, b)) return 'other';
  return (await similarityOf(a, b)) >= threshold ? 'collected' : 'same facts';
}

async function openSimilarity(name: string | undefined): Promise<(a: string, b: string) => Promise<number>> {
  const { embedder } = await openModel(name);
  const asked = await embedder.embed(pairedQuestions, 'query');
  const medians = mediansOf((left, right) => dotProduct(asked[left]!, asked[right]!));
  if (!medians) throw new Error(`${embedder.model.id} cannot tell questions apart`);
  return async (a, b) => {
    const [left, right] = await embedder.embed([a, b], 'passage');
    return similarity(dotProduct(left!, right!), medians);
  };
}
