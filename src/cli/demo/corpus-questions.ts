import { createHash } from 'node:crypto';
import { groupBy } from '../../domain/group-by.ts';

/** What a question needs to know about a memory of the corpus. */
export interface CorpusMemory {
  readonly externalId: string;
  readonly scope?: { readonly team?: string };
  readonly metadata: {
    readonly kind: string;
    readonly title: string;
    readonly status?: string;
    readonly milestone?: { readonly stable?: string };
  };
}

/** A complex question whose answer is known from the fields of the corpus. */
export interface CorpusQuestion {
  readonly text: string;
  /** What the answer is about. Any memory of a set will do; the values are external ids. */
  readonly subjects: readonly ReadonlySet<string>[];
  /** An answer is complete with so many of the subjects. */
  readonly least: number;
}

/** A list is long enough for an agent with so many of its entries, or with all if it has fewer. */
const minOfList = 3;
/** How far apart in the corpus the proposals are that a question is about. Coprime to most counts, so that pairs are rarely of one team. */
const distances = [37, 53, 71];

/**
 * Questions about the proposals of the corpus: comparisons of two, the records of two, and lists by team and status or by release. In
 * an order that is always the same and mixes the kinds, by a hash of their text.
 */
export function corpusQuestions(memories: readonly CorpusMemory[]): CorpusQuestion[] {
  const proposals = proposalsOf(memories).filter(({ title }) => isReadable(title));
  const records = proposals.filter(({ first }) => first.metadata.kind === 'kep');
  const questions = [
    ...pairs(proposals).map(([a, b]) => ({
      text: `Compare “${a.title}” and “${b.title}”`,
      subjects: [a.pieces, b.pieces],
      least: 2,
    })),
    ...pairs(records).map(([a, b]) => ({
      text: `How do “${a.title}” and “${b.title}” differ in status and latest milestone?`,
      subjects: [recordOf(a), recordOf(b)],
      least: 2,
    })),
    ...[...groupBy(records, teamAndStatus)].map(([, group]) => {
      const { scope, metadata } = group[0]!.first;
      const text = `List the proposals of ${scope?.team} with status ${metadata.status}`;
      return listQuestion(
        text,
        group.map(({ pieces }) => pieces),
      );
    }),
    ...[...groupBy(records, stableIn)]
      .filter(([release]) => release !== undefined)
      .map(([release, group]) =>
        listQuestion(
          `List the enhancements that became stable in Kubernetes ${release}`,
          group.map(recordOf),
        ),
      ),
  ];
  return questions.sort((a, b) => (digest(a.text) < digest(b.text) ? -1 : 1));
}

interface Proposal {
  readonly title: string;
  readonly first: CorpusMemory;
  readonly pieces: ReadonlySet<string>;
}

function proposalsOf(memories: readonly CorpusMemory[]): Proposal[] {
  const own = memories.filter(({ metadata }) => metadata.kind === 'kep' || metadata.kind === 'proposal');
  return [...groupBy(own, ({ externalId }) => externalId.split('#')[0]!)].map(([, pieces]) => ({
    title: pieces[0]!.metadata.title,
    first: pieces[0]!,
    pieces: new Set(pieces.map(({ externalId }) => externalId)),
  }));
}

/** Some proposals have the name of their file as title, which nobody would ask for. */
function isReadable(title: string): boolean {
  return !/^\d{4}-/.test(title);
}

function pairs(proposals: readonly Proposal[]): [Proposal, Proposal][] {
  return distances.flatMap((distance) =>
    proposals.map((proposal, index): [Proposal, Proposal] => [
      proposal,
      proposals[(index + distance) % proposals.length]!,
    ]),
  );
}

/** The record of a proposal, with its status and milestones, is its first piece. */
function recordOf({ first }: Proposal): ReadonlySet<string> {
  return new Set([first.externalId]);
}

function teamAndStatus({ first: { scope, metadata } }: Proposal): string {
  return `${scope?.team} ${metadata.status}`;
}

function stableIn({ first }: Proposal): string | undefined {
  return first.metadata.milestone?.stable;
}

function listQuestion(text: string, subjects: readonly ReadonlySet<string>[]): CorpusQuestion {
  return { text, subjects, least: Math.min(minOfList, subjects.length) };
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
