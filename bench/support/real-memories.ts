import { readDataSets } from '../ranking/datasets.ts';
import { kinds, placeOf, tagCount, type MemoryBody, type MemorySource } from './memories.ts';
import { pick, randomFrom } from './random.ts';

const fewestWords = 5;

/**
 * The sentences and questions of retrieval data sets, with vectors of the shipped model. Placement, tags and metadata are
 * random.
 */
export class RealMemories implements MemorySource {
  readonly name = 'sentences-v1';
  readonly embedder = 'onnx';
  readonly #sentences: readonly string[];
  readonly #questions: readonly string[];

  private constructor(sentences: readonly string[], questions: readonly string[]) {
    this.#sentences = sentences;
    this.#questions = questions;
  }

  /** Reads all data sets in `folder`. */
  static async read(folder: string): Promise<RealMemories> {
    const sets = await readDataSets(folder);
    const sentences = new Set(
      sets.flatMap(({ memories }) => memories.flatMap(({ text }) => sentencesOf(text))),
    );
    const questions = sets.flatMap(({ queries }) => queries.map(({ query }) => query));
    return new RealMemories(shuffled([...sentences]), shuffled(questions));
  }

  /** Number of memories. */
  get size(): number {
    return this.#sentences.length;
  }

  memory(index: number): MemoryBody {
    const random = randomFrom(index * 2_654_435_761 + 1);
    return {
      content: this.#sentences[index]!,
      ...placeOf(random),
      tags: [`topic-${Math.floor(random() * tagCount)}`],
      metadata: { kind: pick(kinds, random), serial: index },
    };
  }

  query(index: number): string {
    return this.#questions[index % this.#questions.length]!;
  }
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.split(/\s+/).length >= fewestWords);
}

/** Shuffles with a fixed seed, so the memories of all data sets are mixed. */
function shuffled<T>(items: readonly T[]): T[] {
  const random = randomFrom(17);
  const mixed = [...items];
  for (let last = mixed.length - 1; last > 0; last--) {
    const other = Math.floor(random() * (last + 1));
    [mixed[last], mixed[other]] = [mixed[other]!, mixed[last]!];
  }
  return mixed;
}
