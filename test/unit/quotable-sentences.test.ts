import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import type { Layer, Scope } from '../../src/domain/layers.ts';
import { depths } from '../../src/domain/summaries/depths.ts';
import { extract, type Source } from '../../src/domain/summaries/extract.ts';
import { sentencesToQuote } from '../../src/domain/summaries/quotable.ts';
import { holdingSteps } from '../../src/domain/summaries/still-holding.ts';
import { statementsOf } from '../../src/domain/summaries/statements.ts';
import { summaryScopeKey, summaryScopeOf } from '../../src/domain/summaries/summary-scope.ts';

/** Sentences that may begin a quotation. */
function quotable(content: string): string[] {
  return sentencesToQuote(content)
    .filter(({ isWhole, leans }) => isWhole && !leans)
    .map(({ start, end }) => content.slice(start, end));
}

const source = (content: string, day: number): Source => ({
  id: `m${day}`,
  revision: 0,
  content,
  time: new Date(Date.UTC(2026, 0, day)),
  importance: 0.5,
});

const count = (text: string) => countTokens(text);

const handbook = `# Travel and expenses

Book trains and flights with the agency at least two weeks ahead.
Every teammate has a budget of 900 euros a year for
conferences.

## Submitting expenses

See submitting expenses for additional help.
This document describes how expenses are submitted.
However, receipts below ten euros are not needed.
Expenses are paid back with the next salary. They need the approval of the team lead.

To submit an expense you need:
- A receipt for each item.
- The name of the project.

1. Open the form.
2. Upload the receipt.

| kind | limit |
|---|---|
| hotel | 140 |

\`\`\`
expense submit --file receipt.pdf
\`\`\`

Do you have questions?
Thank you for reading!`;

describe('sentences that a summary may quote', () => {
  it('[E1] are whole: no headings, references, lists under a stub, tables, code, questions, greetings', () => {
    expect(quotable(handbook)).toEqual([
      'Book trains and flights with the agency at least two weeks ahead.',
      'Every teammate has a budget of 900 euros a year for\nconferences.',
      'Expenses are paid back with the next salary.',
    ]);
  });

  it.each([
    'It runs on port 6432 of the new host.',
    'Same habits as before: send her commands, not screenshots.',
    'Most are covered by our standard contract.',
    'Status: accepted on 19 January 2026 by all.',
    'These are kept for ninety days in the archive.',
    'For example, the gateway caches tokens for ten minutes.',
    'Außerdem werden die Protokolle nach zehn Tagen gelöscht.',
    'Cela concerne tous les clients de la région.',
    'Esto vale para todos los clientes de la región.',
    'その後、毎週月曜日にリリースします。',
  ])('[E1] do not need the sentence before: %s', (text) => {
    const [title] = ['Releases are cut on Mondays by the platform team.'];
    expect(quotable(text).concat(quotable(`${title}\n${text}`))).not.toContain(text);
  });

  it.each([
    'Nobody of the team dares to touch it.',
    'A test with three such tickets is held back for ten days.',
  ])('[E1] do not name what a sentence before named: %s', (text) => {
    expect(quotable(`The lathe in hall two is from 1974.\n${text}`)).not.toContain(text);
  });

  it('[E1] may be a note without a full stop if that is all of the memory', () => {
    expect(quotable('climbing: every Tuesday at 19:00 with Priya')).toHaveLength(1);
    expect(quotable('Sport\nclimbing: every Tuesday at 19:00 with Priya')).toEqual([]);
  });
});

describe('memories that still hold', () => {
  const holding = (contents: readonly string[]) => {
    const steps = holdingSteps(contents.map(source), { layer: 'user', scope: { user: 'mia' } });
    for (;;) {
      const step = steps.next();
      if (step.done) return step.value.map(({ content }) => content);
    }
  };

  it('[A20] [E1] are those that no newer one replaces', () => {
    const [older, newer] = [
      'The staging database listens on port 5432.',
      'The staging database listens on port 6432.',
    ];
    expect(holding([older!, newer!])).toEqual([newer]);
  });

  it('[A20] [E1] are all notes of a series', () => {
    const places = ['gateway', 'canteen', 'harbour', 'archive', 'workshop', 'garden'];
    const series = places.map((place, n) => `Remark ${n} is about the opening hours of the ${place}.`);
    expect(holding(series)).toEqual(series);
  });
});

describe('a summary', () => {
  it('[E1] is in the language of most of the text, if that has something to quote', () => {
    const english = [
      'The gateway caches access tokens for ten minutes after the login.',
      'Releases are cut on Mondays after the smoke tests have passed.',
    ];
    const german = 'Die Protokolle werden nach zehn Tagen gelöscht, auch die Fehler.';
    const mixed = [...english, german].map(source);
    const [summary] = extract(mixed, ['detailed'], count);
    for (const text of english) expect(summary!.content).toContain(text);
    expect(summary!.content).not.toContain(german);
    const questions = ['Who owns the gateway and its certificates?', 'Where do the logs go?'];
    const [other] = extract([...questions, german].map(source), ['detailed'], count);
    expect(other!.content).toBe(`${german} [1]`);
  });

  it('[E1] quotes whatever there is if nothing is whole', () => {
    const [summary] = extract([source('# Gateway tokens\n- cache, expiry', 1)], ['sentence'], count);
    expect(summary!.content).toContain('Gateway tokens');
  });

  it('[E1] of a user says lasting facts about this user before what passes', () => {
    const notes = [
      'Mia prefers short answers with an example.',
      'Mia sees the dentist tomorrow at nine about the wisdom tooth that hurts, and needs a taxi to get there.',
      'Tom sees the dentist tomorrow at ten about the wisdom tooth that hurts, and needs a taxi to get there too.',
    ].map(source);
    const [summary] = extract(notes, ['sentence'], count, 'mia');
    expect(summary!.content).toContain('Mia prefers short answers');
  });

  it('[E1] of each larger scope of the corpus quotes no heading, table, question or reference', () => {
    const scopes = new Map<string, Source[]>();
    const lines = readFileSync(new URL('../../corpus/memories.ndjson', import.meta.url), 'utf8').trim();
    for (const [at, line] of lines.split('\n').entries()) {
      const {
        layer,
        scope = {},
        content,
      } = JSON.parse(line) as {
        layer: Layer;
        scope?: Scope;
        content: string;
      };
      const key = summaryScopeKey(summaryScopeOf({ layer, scope }));
      scopes.set(key, [...(scopes.get(key) ?? []), source(content, at)]);
    }
    const larger = [...scopes.values()].filter((sources) => sources.length > 4);
    expect(larger.length).toBeGreaterThan(15);
    for (const sources of larger)
      for (const { content, sources: quoted } of extract(sources, depths, count))
        for (const { text } of statementsOf(content, quoted.length)) {
          expect(text).toMatch(/[.!]["'”’)*_]*$/u);
          expect(text).not.toMatch(/^(?:#|\||- |\d+\. |See |This |It |However)|[|?]|:$/u);
        }
  });
});
