import type { EmbedderKind } from './program.ts';
import { pick, randomFrom } from './random.ts';
import { corpusTexts, Vocabulary } from './vocabulary.ts';

/** A body of `POST /v1/memories`. */
export interface MemoryBody {
  readonly content: string;
  readonly layer: 'company' | 'team' | 'project' | 'user';
  readonly scope: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly metadata: { readonly kind: string; readonly serial: number };
}

/** Memories, and questions about them. The same index always returns the same one. */
export interface MemorySource {
  /** Must differ between sources with different memories, because loaded data folders are kept under this name. */
  readonly name: string;
  /** The embedder of their vectors. */
  readonly embedder: EmbedderKind;
  memory(index: number): MemoryBody;
  /** A question about the first `among` memories. */
  query(index: number, among: number): string;
}

export const kinds = [
  'fact',
  'decision',
  'preference',
  'event',
  'task',
  'note',
  'rule',
  'plan',
  'risk',
  'goal',
];
export const tagCount = 20;
export const teamCount = 50;
const topics = 500;
const topicWords = 40;
/** The words of a topic exclude the most frequent ones. */
const topicFromRank = 300;
const topicToRank = 20_000;
const topicShare = 0.3;

/**
 * Memories of about 60 words (40 to 80) drawn from a Zipf vocabulary. Three words in ten come from the memory's topic, so the
 * vectors cluster like those of real collections.
 */
export class ZipfMemories implements MemorySource {
  readonly name = 'memories-v1';
  readonly embedder = 'deterministic';
  readonly #vocabulary = new Vocabulary();
  readonly #topics = this.#drawTopics();

  memory(index: number): MemoryBody {
    const random = randomFrom(index * 2_654_435_761 + 1);
    const topic = pick(this.#topics, random);
    const length = 40 + Math.floor(random() * 41);
    const words = Array.from({ length }, () =>
      random() < topicShare ? pick(topic, random) : this.#vocabulary.words[this.#vocabulary.draw(random)]!,
    );
    return {
      content: words.join(' '),
      ...placeOf(random),
      tags: [`topic-${this.#topics.indexOf(topic) % tagCount}`],
      metadata: { kind: pick(kinds, random), serial: index },
    };
  }

  /** A question of 4 to 8 words from one of the first `among` memories. */
  query(index: number, among: number): string {
    const random = randomFrom(index * 40_503 + 99);
    const words = this.memory(Math.floor(random() * among)).content.split(' ');
    const length = 4 + Math.floor(random() * 5);
    return Array.from({ length }, () => pick(words, random)).join(' ');
  }

  #drawTopics(): readonly (readonly string[])[] {
    const random = randomFrom(11);
    const rank = () => topicFromRank + Math.floor(random() * (topicToRank - topicFromRank));
    return Array.from({ length: topics }, () =>
      Array.from({ length: topicWords }, () => this.#vocabulary.words[rank()]!),
    );
  }
}

const longEvery = 20;
const longPieces = 12;

/** Like `ZipfMemories`, but every 20th memory is a text of about 700 words, which is divided into passages. */
export class LongMemories implements MemorySource {
  readonly name = 'long-memories-v1';
  readonly embedder = 'deterministic';
  readonly #short = new ZipfMemories();

  memory(index: number): MemoryBody {
    const first = this.#short.memory(index);
    if (index % longEvery !== 0) return first;
    // Pieces of the memories that follow, which are of other topics.
    const pieces = Array.from({ length: longPieces }, (_, at) => this.#short.memory(index + at).content);
    return { ...first, content: pieces.join('\n\n') };
  }

  /** A question of 4 to 8 words from one place in one of the first `among` memories. */
  query(index: number, among: number): string {
    return this.#short.query(index, among);
  }
}

/** Of ten memories, one belongs to the company, three to one of 50 teams, two to one of 40 projects and four to one of 200 users. */
export function placeOf(random: () => number): Pick<MemoryBody, 'layer' | 'scope'> {
  const share = random();
  const one = (name: string, of: number) => `${name}${Math.floor(random() * of)}`;
  if (share < 0.1) return { layer: 'company', scope: {} };
  if (share < 0.4) return { layer: 'team', scope: { team: one('team', teamCount) } };
  if (share < 0.6) return { layer: 'project', scope: { project: one('project', 40) } };
  return { layer: 'user', scope: { user: one('user', 200) } };
}

/** Real texts of at most `most` words from the shipped corpus. When it is used up, texts are repeated with a number. */
export function realTexts(count: number, most = 60): string[] {
  const pieces = corpusTexts().flatMap((text) => {
    const words = text.split(/\s+/);
    const cuts = Math.floor(words.length / most) || 1;
    return Array.from({ length: cuts }, (_, cut) => words.slice(cut * most, (cut + 1) * most).join(' '));
  });
  return Array.from({ length: count }, (_, index) => {
    const round = Math.floor(index / pieces.length);
    const piece = pieces[index % pieces.length]!;
    return round === 0 ? piece : `${round} ${piece.split(' ').slice(1).join(' ')}`;
  });
}
