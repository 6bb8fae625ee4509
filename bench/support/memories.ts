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

/** Memories, and questions about them; the same index always gives the same ones. */
export interface MemorySource {
  /** Another one wherever an index gives another memory: data folders that were loaded are kept under it. */
  readonly name: string;
  /** What their vectors are made by. */
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
/** Words of a topic come from below the most frequent ones. */
const topicFromRank = 300;
const topicToRank = 20_000;
const topicShare = 0.3;

/**
 * Memories of about 60 words (40 to 80) drawn from a Zipf vocabulary, three words in ten from the memory's topic, so
 * that vectors cluster as those of real collections do.
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

  /** Of 4 to 8 words out of one of the first `among` memories. */
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

/** One memory in ten is of the company, three of one of 50 teams, two of one of 40 projects, four of one of 200 users. */
export function placeOf(random: () => number): Pick<MemoryBody, 'layer' | 'scope'> {
  const share = random();
  const one = (name: string, of: number) => `${name}${Math.floor(random() * of)}`;
  if (share < 0.1) return { layer: 'company', scope: {} };
  if (share < 0.4) return { layer: 'team', scope: { team: one('team', teamCount) } };
  if (share < 0.6) return { layer: 'project', scope: { project: one('project', 40) } };
  return { layer: 'user', scope: { user: one('user', 200) } };
}

/** Real texts of at most `most` words, cut from the shipped corpus; repeated with a number where it is used up. */
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
