import { z } from 'zod';
import { text } from '../json.ts';
import { layerSchema } from '../layers.ts';
import { truncate } from '../text/truncate.ts';
import type { Plan } from '../routing/plan.ts';
import type { Reasoning } from './reasoning.ts';
import { strategies } from './settings.ts';

const longestText = 400;
const longestReason = 300;
const searchText = text(longestText).trim().min(1);

/** Maximum lengths of a question and of a part's texts that the model receives, in UTF-16 units; longer texts were mostly pasted. */
const longestQuestion = 2_000;
const longestPart = 400;
/** Maximum number of parts in a request to the model. */
const mostParts = 10;

/** What a model may propose for the parts of a plan. It proposes search texts only, neither scopes nor filters. */
export function refinementSchema({ operands }: Plan) {
  const parts = Math.min(mostParts, operands.length);
  return z.strictObject({
    strategy: z.enum(strategies),
    why: text(longestReason).describe('One sentence'),
    layers: z.array(layerSchema).max(7).nullable().describe('Only where the question names them'),
    searches: z
      .array(
        z.strictObject({
          part: z
            .int()
            .min(0)
            .max(Math.max(0, parts - 1)),
          meaning: searchText.describe('A statement as a fitting text would make it'),
          words: searchText.describe('The words, names and identifiers that a fitting text holds'),
        }),
      )
      .max(parts),
  });
}

export type Refinement = z.infer<ReturnType<typeof refinementSchema>>;

export const refinementInstructions = `You prepare searches in an organisation's memory. You are given a question and the parts it was taken apart into, each with its number.
For each part write what to search for: "meaning" for a comparison of meaning, as a plain statement that a fitting text could make; "words" for a search by words: its names, identifiers and terms, with synonyms that such texts use, without words that only ask.
Choose a strategy: "targeted" where the question names what narrows it, "exhaustive" where it asks for everything there is and leaving something out would be wrong, "semantic-only" where its words will not stand in the texts.
"layers": those the question asks about, or null. Invent no names. Say in "why" in one sentence what you chose the strategy for.`;

/** The model's input for a question. */
export function refinementInput(question: string, { operands }: Plan): Readonly<Record<string, unknown>> {
  const cut = (written: string) => truncate(written, longestPart);
  const shown = operands.slice(0, mostParts);
  return {
    question: truncate(question, longestQuestion),
    parts: shown.map(({ label, query }, part) => ({ part, label: cut(label), query: cut(query) })),
  };
}

/** Applies a model's proposal to the reasoning by rules; a strategy set by the tenant or by experience is kept. */
export function refined(rules: Reasoning, { strategy, layers, searches }: Refinement): Reasoning {
  const proposed = new Map(
    searches.map(({ part, meaning, words }) => [part, { dense: meaning, lexical: words }]),
  );
  return {
    ...(isSettled(rules) ? rules : { strategy, reason: 'proposed-by-model' as const }),
    ...(layers && layers.length > 0 && { layers }),
    texts: rules.texts.map((own, part) => proposed.get(part) ?? own),
  };
}

function isSettled({ reason }: Reasoning): boolean {
  return reason === 'set-for-tenant' || reason === 'from-experience';
}
