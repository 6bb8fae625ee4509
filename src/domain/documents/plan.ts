import { groupBy } from '../group-by.ts';
import { likeness, likePairs, wordBag } from './likeness.ts';
import { sectionBody, type Section } from './sections.ts';

/** A section of the revisions before, and its memory. */
export interface KnownSection {
  readonly memoryId: string;
  readonly path: readonly string[];
  readonly key?: string;
  /** Of the content. */
  readonly hash: string;
  /** Absent for removed ones; empty where it is not known. */
  readonly content?: string;
}

/** A section of the new revision. */
export interface NextSection {
  readonly section: Section;
  readonly content: string;
  readonly hash: string;
}

/**
 * `keep`: the content is as it was, wherever it stands now. `change`: the memory gets a new content. `restore`: a removed memory comes
 * back, with the content of the section, which may differ from the one that it had. `remove`: the section is gone.
 */
export type SectionStep =
  | {
      readonly action: 'keep' | 'change' | 'restore' | 'add';
      readonly memoryId: string;
      readonly section: Section;
    }
  | { readonly action: 'remove'; readonly memoryId: string };

/** Share of the words that two texts under the same headings have in common at least to be versions of one section. */
const mostlyAlike = 0.5;
/** The same for two texts that are the only ones left under their headings. */
const somewhatAlike = 0.25;

/**
 * Decides which memory each section of a new revision has. It is that of the section before with, in this order, the same key and
 * text; the same text; the same key; the same path and at least half of the words; the same path, alone there on both sides, and a
 * quarter of the words; the same text under other headings. Removed sections return by text or key. Of equal sections the first one
 * gets the first memory, so the order decides. The steps are those of the sections in their order, then those that remove.
 *
 * Sections of a feed that are missing have left its window: there is no step for them. Runs in about `n log n`: texts are compared
 * under the same path alone, and there with a bounded number of others.
 */
export function planRevision({
  known,
  next,
  newId,
  isFeed,
}: {
  readonly known: readonly KnownSection[];
  readonly next: readonly NextSection[];
  readonly newId: () => string;
  readonly isFeed: boolean;
}): SectionStep[] {
  const matches = new Matches(known, next);
  matches.byKeyAndText();
  matches.byText('live');
  matches.byKey('live');
  matches.byText('removed');
  matches.byKey('removed');
  matches.byPathAndWords();
  matches.byPathAlone();
  matches.byTextUnderOtherHeadings();
  const steps = next.map((one): SectionStep => {
    const match = matches.of(one);
    const memoryId = match?.memoryId ?? newId();
    return { action: actionOf(match, one), memoryId, section: one.section };
  });
  const missing = isFeed ? [] : matches.unmatched().filter(isLive);
  return [...steps, ...missing.map(({ memoryId }): SectionStep => ({ action: 'remove', memoryId }))];
}

function actionOf(
  match: KnownSection | undefined,
  { hash }: NextSection,
): 'keep' | 'change' | 'restore' | 'add' {
  if (!match) return 'add';
  if (!isLive(match)) return 'restore';
  return match.hash === hash ? 'keep' : 'change';
}

function isLive({ content }: KnownSection): boolean {
  return content !== undefined;
}

class Matches {
  readonly #known: Set<KnownSection>;
  readonly #next: Set<NextSection>;
  readonly #matches = new Map<NextSection, KnownSection>();
  /** Keys that a section of the other side has. */
  readonly #liveKeys: ReadonlySet<string>;
  readonly #nextKeys: ReadonlySet<string>;

  constructor(known: readonly KnownSection[], next: readonly NextSection[]) {
    this.#known = new Set(known);
    this.#next = new Set(next);
    this.#liveKeys = new Set(known.filter(isLive).flatMap(({ key }) => key ?? []));
    this.#nextKeys = new Set(next.flatMap(({ section: { key } }) => key ?? []));
  }

  of(next: NextSection): KnownSection | undefined {
    return this.#matches.get(next);
  }

  unmatched(): readonly KnownSection[] {
    return [...this.#known];
  }

  byKeyAndText(): void {
    this.#inOrder(
      this.#all('live'),
      ({ key, hash }) => key && JSON.stringify([key, hash]),
      ({ section: { key }, hash }) => key && JSON.stringify([key, hash]),
    );
  }

  /** A section whose key still exists on the other side is left for its key. */
  byText(state: 'live' | 'removed'): void {
    this.#inOrder(
      this.#all(state),
      ({ key, hash }) => (key !== undefined && this.#nextKeys.has(key) ? undefined : hash),
      ({ section: { key }, hash }) => (key !== undefined && this.#liveKeys.has(key) ? undefined : hash),
    );
  }

  byKey(state: 'live' | 'removed'): void {
    this.#inOrder(
      this.#all(state),
      ({ key }) => key,
      ({ section: { key } }) => key,
    );
  }

  byPathAndWords(): void {
    for (const [known, next] of this.#byPath()) {
      const bagOfKnown = known.map((one) => wordBag(bodyOfKnown(one)));
      const bagOfNext = next.map((one) => wordBag(bodyOfNext(one)));
      for (const pair of likePairs(bagOfKnown, bagOfNext, mostlyAlike))
        this.#match(known[pair.known]!, next[pair.next]!);
    }
  }

  byPathAlone(): void {
    for (const [known, next] of this.#byPath()) {
      const [one, other] = [known[0]!, next[0]!];
      if (known.length > 1 || next.length > 1) continue;
      const score = likeness(wordBag(bodyOfKnown(one)), wordBag(bodyOfNext(other)));
      if (score >= somewhatAlike) this.#match(one, other);
    }
  }

  byTextUnderOtherHeadings(): void {
    this.#inOrder(
      this.#all('live'),
      (known) => bodyOfKnown(known) || undefined,
      (next) => bodyOfNext(next) || undefined,
    );
  }

  #all(state: 'live' | 'removed'): readonly KnownSection[] {
    return [...this.#known].filter((known) => isLive(known) === (state === 'live'));
  }

  /** What is left under each path that both sides have. */
  #byPath(): (readonly [readonly KnownSection[], readonly NextSection[]])[] {
    const known = groupBy(this.#all('live'), ({ path }) => JSON.stringify(path));
    const next = groupBy([...this.#next], ({ section: { path } }) => JSON.stringify(path));
    return [...next].flatMap(([path, sections]) => {
      const before = known.get(path);
      return before ? [[before, sections] as const] : [];
    });
  }

  /** Matches what has the same name on both sides, the first with the first. */
  #inOrder(
    known: readonly KnownSection[],
    nameOfKnown: (known: KnownSection) => string | undefined,
    nameOfNext: (next: NextSection) => string | undefined,
  ): void {
    const queues = groupBy(known, nameOfKnown);
    const taken = new Map<string, number>();
    for (const next of this.#next) {
      const name = nameOfNext(next);
      if (name === undefined) continue;
      const at = taken.get(name) ?? 0;
      const match = queues.get(name)?.[at];
      if (match === undefined) continue;
      taken.set(name, at + 1);
      this.#match(match, next);
    }
  }

  /** Does nothing if one of them is matched already. */
  #match(known: KnownSection, next: NextSection): void {
    if (!this.#known.has(known) || !this.#next.has(next)) return;
    this.#known.delete(known);
    this.#next.delete(next);
    this.#matches.set(next, known);
  }
}

function bodyOfKnown({ content = '', path }: KnownSection): string {
  return sectionBody(content, path);
}

function bodyOfNext({ content, section: { path } }: NextSection): string {
  return sectionBody(content, path);
}
