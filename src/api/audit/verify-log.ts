import { z } from 'zod';
import { text } from '../../domain/json.ts';
import { invalid } from '../../domain/problems.ts';
import { parseCheckpoint, type TreeHead } from '../../domain/tlog/checkpoint.ts';
import { MalformedNote } from '../../domain/tlog/note.ts';
import { operation } from '../operation.ts';
import { reportExample } from './examples.ts';
import { auditors } from './roles.ts';

export const verifyLog = operation({
  name: 'verifyLog',
  summary: 'Compare the whole log with everything that was signed, and with a head that you have kept',
  area: 'Audit',
  input: z.strictObject({
    against: text(20_000).optional().meta({
      description: 'A signed head (note) of this log that you have kept and that it must continue',
    }),
  }),
  output: z.object({
    state: z.enum(['sound', 'unsound']),
    events: z.int().meta({ description: 'Number of events checked' }),
    heads: z.int().meta({ description: 'Number of signed heads that the log agrees with' }),
    signed: z
      .object({ size: z.int(), root: z.string() })
      .optional()
      .meta({ description: 'The last signed head: what is behind it is not protected yet' }),
    first: z
      .object({
        position: z.string(),
        fault: z.enum(['changed', 'missing', 'shorter', 'forged-head', 'other-history', 'restored', 'row']),
        detail: z.string(),
      })
      .optional()
      .meta({ description: 'The first place where the log is not what was signed' }),
  }),
  examples: { input: {}, output: reportExample },
  access: auditors,
  takesLong: true,
  audit: { what: 'verification of the log', when: 'always' },
  async handle({ input: { against }, services: { proofs }, signal, token }) {
    const earlier = (await proofs.restores()).map(({ from }) => from.origin);
    const heads = against === undefined ? [] : [headOf(against, [proofs.origin, ...earlier])];
    const { first, ...report } = await proofs.verify(heads, signal);
    return {
      output: { ...report, ...(first && { first: { ...first, position: token(first.position) } }) },
      read: { items: report.events },
    };
  },
});

/** The head in a note, if it is of a log with one of these names. */
function headOf(note: string, names: readonly string[]): TreeHead {
  try {
    const head = parseCheckpoint(note);
    if (!names.includes(head.origin))
      throw invalid('against', `is a head of ${head.origin}, and this log is ${names[0]}`);
    return head;
  } catch (error) {
    if (error instanceof MalformedNote) throw invalid('against', error.message);
    throw error;
  }
}
