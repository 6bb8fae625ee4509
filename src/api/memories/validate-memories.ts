import { z } from 'zod';
import { text } from '../../domain/json.ts';
import { linkTypeSchema } from '../../domain/links/links.ts';
import { validateMemories as validate } from '../../queries/validate.ts';
import { waitFields } from '../fields.ts';
import { operation } from '../operation.ts';
import { validateBodyExample, validateExample } from './examples.ts';
import { readers } from './roles.ts';

const maxIds = 100;

const confidence = z.number().meta({ description: 'Certainty, 0 to 1' });
const fields = z.array(
  z.object({ field: z.string(), values: z.array(z.unknown()).length(2) }).meta({ id: 'FieldPair' }),
);
const links = z.array(
  z
    .object({ source: z.string(), type: linkTypeSchema, target: z.string(), confidence })
    .meta({ id: 'CitedLink' }),
);
const differences = ['number', 'date', 'negation', 'name', 'word'] as const;
const twoTexts = z.array(z.string()).length(2);
const reasonFields = { detail: z.string(), confidence };

const reason = z
  .discriminatedUnion('code', [
    z.object({ code: z.literal('link'), ...reasonFields, links }),
    z.object({ code: z.literal('circle'), ...reasonFields, links }),
    z.object({ code: z.literal('declared'), ...reasonFields, field: z.string(), value: z.string() }),
    z.object({ code: z.literal('restated'), ...reasonFields, same: fields, differs: fields }),
    z.object({
      code: z.literal('wording'),
      ...reasonFields,
      difference: z.enum(differences),
      words: twoTexts,
      passages: twoTexts,
    }),
    z.object({
      code: z.literal('update'),
      ...reasonFields,
      difference: z.enum(differences),
      words: twoTexts,
      passages: twoTexts.meta({ description: 'Sentences that contain the words' }),
      shared: z
        .array(z.string())
        .meta({ description: 'Words that show that both memories are about the same thing' }),
    }),
  ])
  .meta({ id: 'Reason' });

const reasons = z.array(reason).meta({ description: 'Reasons, most certain first' });

export const validateMemories = operation({
  name: 'validateMemories',
  summary: 'Find contradictions and supersessions among memories, with reasons',
  area: 'Memories',
  input: z
    .strictObject({ ids: z.array(text(100).min(1)).min(1).max(maxIds), ...waitFields })
    .meta({ id: 'Validate' }),
  output: z
    .object({
      contradictions: z.array(z.object({ memories: z.array(z.string()).length(2), confidence, reasons })),
      supersessions: z.array(z.object({ memory: z.string(), supersededBy: z.string(), confidence, reasons })),
      notFound: z.array(z.string()).meta({
        description: 'Ids without an active memory that the caller can see; the reason is not disclosed',
      }),
      position: z.string(),
    })
    .meta({ id: 'ValidateAnswer' }),
  examples: { input: validateBodyExample, output: validateExample },
  access: 'every-caller',
  serves: readers,
  reads: 'read-models',
  awaitsOwn: ['memories', 'vectors', 'lexical'],
  cost: () => 3,
  audit: { what: 'memory validation', when: 'always' },
  async handle({ caller, input: { ids }, services: { commands, models }, wait, token }) {
    const { compared, position, ...judgement } = await validate(commands.store.log, models, caller, {
      ids,
      ...wait,
    });
    return {
      output: { ...judgement, position: token(position) },
      read: { items: compared, parameters: { ids } },
    };
  },
});
