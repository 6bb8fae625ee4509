import { z } from 'zod';
import { text } from '../json.ts';
import { truncate } from '../text/truncate.ts';
import { MAX_VALUE_LENGTH, type Vocabulary } from './vocabulary.ts';

/** Maximum number of parts of a question. */
const maxParts = 6;
/** Maximum number of conditions of a part. */
const maxConditions = 6;
/** Maximum number of UTF-16 units of a query. */
const maxQueryLength = 400;
const maxFieldLength = 220;
/** The model sees only this much of a question: what follows is pasted text. */
const maxQuestionLength = 2_000;
/** Maximum number of fields shown to the model, and of values per field. */
const maxFields = 40;
const maxValues = 12;

const operators = ['eq', 'gt', 'gte', 'lt', 'lte'] as const;

/** What a language model may propose for a question. `proposedPlan` decides which parts of it count. */
export const proposalSchema = z.strictObject({
  aggregation: z.enum(['combine', 'compare', 'summarize']),
  parts: z
    .array(
      z.strictObject({
        query: text(maxQueryLength),
        conditions: z
          .array(
            z.strictObject({
              field: text(maxFieldLength),
              operator: z.enum(operators),
              value: z.union([text(MAX_VALUE_LENGTH), z.number(), z.boolean()]),
            }),
          )
          .max(maxConditions),
        follow: z.enum(['scope', 'mentions']).nullable(),
      }),
    )
    .min(1)
    .max(maxParts),
});

export type Proposal = z.infer<typeof proposalSchema>;
export type ProposedPart = Proposal['parts'][number];
export type ProposedCondition = ProposedPart['conditions'][number];

export const proposalInstructions = `You plan searches over the memories of an organisation. You are given a question, today's date, and fields that memories have: their kinds, and those of their values that the question may mean. Say which searches answer the question.

"parts": one for each thing that is compared, listed or asked for beside another; one alone where one search is enough. At most ${maxParts}.
"query": the words that a text which answers the part would hold, without those that became a condition.
"conditions": only what the question says outright, on fields that are given. Of a field with values use those, with "eq". Of a field of the kind "date" use ISO 8601 such as "2026-03", of the kind "version" texts such as "1.27"; both also with "gt", "gte", "lt", "lte". None where you are not sure: a wrong one hides answers.
"follow": "scope" where all that belongs to one named thing is asked for, such as its history; "mentions" where the question asks what that thing names, such as what it depends on; else null.
"aggregation": "compare" where things are set side by side, "summarize" for an overview over many places, else "combine".`;

/** The data for the instructions. `vocabulary` holds the values that the question may mean and the caller may see. */
export function proposalInput(
  question: string,
  { fields, values }: Vocabulary,
  now: Date,
): Record<string, unknown> {
  const shown = fields
    .map(({ field, kind, memories }) => ({
      field,
      kind,
      memories,
      values: values.filter((value) => value.field === field).slice(0, maxValues),
    }))
    .sort(
      (left, right) =>
        Math.sign(right.values.length) - Math.sign(left.values.length) || right.memories - left.memories,
    )
    .slice(0, maxFields);
  return {
    question: truncate(question, maxQuestionLength),
    today: now.toISOString().slice(0, 'YYYY-MM-DD'.length),
    fields: shown.map(({ field, kind, values: known }) => ({
      field,
      kind,
      ...(known.length > 0 && { values: known.map(({ value }) => value) }),
    })),
  };
}
