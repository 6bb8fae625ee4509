import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { composeDocument } from '../../src/domain/documents/compose.ts';
import type { Block, DocumentContent } from '../../src/domain/documents/content.ts';
import { planRevision, type KnownSection, type NextSection } from '../../src/domain/documents/plan.ts';
import { sectionQuality } from '../../src/domain/documents/quality.ts';
import { sectionContent } from '../../src/domain/documents/sections.ts';

const word = fc.constantFrom(
  'harbour',
  'ferry',
  'green',
  'tea',
  'QZT-8000',
  '港口',
  '𝒳',
  '😀',
  'z. B.',
  'Öl|',
  '```',
);
const line = fc.array(word, { minLength: 1, maxLength: 40 }).map((words) => `${words.join(' ')}.`);
const text = fc.oneof(
  fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.join(' ')),
  fc.array(line, { minLength: 1, maxLength: 30 }).map((lines) => lines.join('\n\n')),
  fc.array(line, { minLength: 1, maxLength: 20 }).map((lines) => lines.map((one) => `- ${one}`).join('\n')),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  word.map((one) => one.repeat(2_500)),
);
const place = fc.record(
  { page: fc.integer({ min: 1, max: 9 }), isBoilerplate: fc.boolean(), isHidden: fc.boolean() },
  { requiredKeys: [] },
);
const short = fc.array(word, { maxLength: 4 }).map((words) => words.join(' '));
const block: fc.Arbitrary<Block> = fc
  .tuple(
    place,
    fc.oneof(
      fc.record({
        kind: fc.constant('heading' as const),
        level: fc.integer({ min: 1, max: 6 }),
        text: short,
      }),
      fc.record({ kind: fc.constant('text' as const), text }),
      fc.record({
        kind: fc.constant('table' as const),
        header: fc.array(short, { maxLength: 4 }),
        rows: fc.array(fc.array(line, { maxLength: 4 }), { maxLength: 60 }),
      }),
      fc.record({ kind: fc.constant('code' as const), text }),
      fc.record({
        kind: fc.constant('code' as const),
        text,
        symbol: fc.array(word, { minLength: 1, maxLength: 2 }),
      }),
      fc.record({ kind: fc.constant('turn' as const), speaker: short, text }),
      fc.record({ kind: fc.constant('entry' as const), key: word, title: short, text }),
    ),
  )
  .map(([where, what]) => ({ ...where, ...what }));
const blocks = fc.array(block, { maxLength: 25, size: 'max' });

const documentOf = (parts: readonly Block[], isSource = false): DocumentContent => ({
  mediaType: 'text/plain',
  contentType: isSource ? 'code' : 'note',
  blocks: parts,
  replacements: 0,
});

describe('the sections of a document', () => {
  it('are in order, do not overlap, and hold everything but headings without text', () => {
    fc.assert(
      fc.property(blocks, fc.boolean(), (parts, isSource) => {
        const { text: whole, sections } = composeDocument(documentOf(parts, isSource));
        let covered = 0;
        for (const section of sections) {
          expect(section.start).toBeGreaterThanOrEqual(covered);
          expect(section.end).toBeGreaterThan(section.start);
          expectHeadingsAlone(whole.slice(covered, section.start));
          covered = section.end;
          const slice = whole.slice(section.start, section.end);
          // No half of a surrogate pair.
          expect(slice).toBe(slice.toWellFormed());
          const quality = sectionQuality(sectionContent(whole, section, 'Title'), section);
          expect(quality).toBeGreaterThanOrEqual(0);
          expect(quality).toBeLessThanOrEqual(1);
        }
        expectHeadingsAlone(whole.slice(covered));
      }),
    );
  });

  it('never end within a row of a table, and repeat its header', () => {
    const row = fc.array(line, { minLength: 2, maxLength: 2 });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1, maxLength: 80, size: 'max' }), (rows) => {
        const named = rows.map((cells, n) => [`row ${n}`, ...cells]);
        const table: Block = { kind: 'table', header: ['Name', 'One', 'Two'], rows: named };
        const { text: whole, sections } = composeDocument(documentOf([table]));
        const contents = sections.map((section) => sectionContent(whole, section));
        for (const content of contents)
          expect(content.startsWith('| Name | One | Two |\n|---|---|---|\n')).toBe(true);
        const found = contents.flatMap((content) => content.split('\n').slice(2));
        expect(found.map((one) => one.split(' | ')[0])).toEqual(named.map(([name]) => `| ${name}`));
      }),
    );
  });

  it('take time linear in the length of the text', () => {
    for (const kind of ['x', ' x', 'x\n', '- x\n', 'x. ', '`', '| ', '茶', '。', 'a. b\n\n', 'Dr. ']) {
      const long = kind.repeat(100_000 / kind.length);
      for (const contentType of ['note', 'code']) {
        const { sections } = composeDocument({
          ...documentOf([{ kind: contentType === 'code' ? 'code' : 'text', text: long }]),
          contentType,
        });
        expect(sections.every(({ start, end }) => start < end)).toBe(true);
      }
    }
  });
});

/** What stands between sections. */
function expectHeadingsAlone(between: string): void {
  expect(between.split('\n').filter((one) => one.trim() !== '' && !/^#{1,6} /u.test(one))).toEqual([]);
}

const revision = fc.array(
  fc.record({
    path: fc.array(fc.constantFrom('Pump', 'Hedge'), { maxLength: 2 }),
    body: fc.array(word, { minLength: 1, maxLength: 6 }).map((words) => words.join(' ')),
    key: fc.option(fc.constantFrom('k1', 'k2', 'k3'), { nil: undefined }),
  }),
  { maxLength: 12 },
);
type Row = Readonly<{ path: readonly string[]; body: string; key: string | undefined }>;

function nextOf(rows: readonly Row[]): NextSection[] {
  return rows.map(({ path, body, key }, n) => {
    const content = [path.join(' › '), body].filter((part) => part !== '').join('\n\n');
    const section = { path, start: n, end: n + 1, kind: 'text' as const, ...(key !== undefined && { key }) };
    return { section, content, hash: content };
  });
}

/** The known sections after a plan. */
function applied(
  before: readonly KnownSection[],
  next: readonly NextSection[],
  isFeed: boolean,
  newId: () => string,
): {
  readonly live: Map<string, KnownSection>;
  readonly removed: Map<string, KnownSection>;
  readonly order: string[];
} {
  const live = new Map(
    before.filter(({ content }) => content !== undefined).map((one) => [one.memoryId, one]),
  );
  const removed = new Map(
    before.filter(({ content }) => content === undefined).map((one) => [one.memoryId, one]),
  );
  const contents = new Map(next.map((one) => [one.section, one]));
  const order: string[] = [];
  const steps = planRevision({ known: before, next, newId, isFeed });
  expect(new Set(steps.map(({ memoryId }) => memoryId)).size).toBe(steps.length);
  for (const step of steps) {
    const known = live.get(step.memoryId);
    if (step.action === 'remove') {
      const { content: _, ...rest } = known!;
      removed.set(step.memoryId, rest);
      live.delete(step.memoryId);
      continue;
    }
    const { section, content, hash } = contents.get(step.section)!;
    if (step.action === 'keep') expect(known!.hash).toBe(hash);
    if (step.action === 'change') expect(known!.hash).not.toBe(hash);
    if (step.action === 'restore') expect(removed.delete(step.memoryId)).toBe(true);
    if (step.action === 'add') expect(known ?? removed.get(step.memoryId)).toBeUndefined();
    const { path, key } = section;
    live.set(step.memoryId, {
      memoryId: step.memoryId,
      path,
      hash,
      content,
      ...(key !== undefined && { key }),
    });
    order.push(step.memoryId);
  }
  return { live, removed, order };
}

describe('the plan of a revision', () => {
  it('leads to the next sections exactly, from any history, and is empty for the same ones', () => {
    fc.assert(
      fc.property(fc.array(revision, { minLength: 1, maxLength: 5 }), fc.boolean(), (revisions, isFeed) => {
        let ids = 0;
        const newId = () => `m${++ids}`;
        let before: readonly KnownSection[] = [];
        for (const rows of revisions) {
          const next = nextOf(rows);
          const { live, removed, order } = applied(before, next, isFeed, newId);
          expect(order.map((id) => live.get(id)!.content)).toEqual(next.map(({ content }) => content));
          if (!isFeed) expect(live.size).toBe(next.length);
          before = [
            ...order.map((id) => live.get(id)!),
            ...[...live.values()].filter((one) => !order.includes(one.memoryId)),
            ...removed.values(),
          ];
          const again = planRevision({ known: before, next, newId, isFeed });
          expect(again.map(({ action, memoryId }) => [action, memoryId])).toEqual(
            order.map((id) => ['keep', id]),
          );
        }
      }),
    );
  });

  it('keeps every memory if sections only change places', () => {
    const shuffled = revision.chain((rows) =>
      fc.tuple(fc.constant(rows), fc.shuffledSubarray(rows, { minLength: rows.length })),
    );
    fc.assert(
      fc.property(shuffled, ([rows, moved]) => {
        let ids = 0;
        const { live } = applied([], nextOf(rows), false, () => `m${++ids}`);
        const steps = planRevision({
          known: [...live.values()],
          next: nextOf(moved),
          newId: () => 'new',
          isFeed: false,
        });
        expect(steps.every(({ action }) => action === 'keep')).toBe(true);
      }),
    );
  });
});
