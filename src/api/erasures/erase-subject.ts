import { z } from 'zod';
import {
  eraseSubjectInput,
  requestSubjectErasure,
  subjectField,
} from '../../commands/erasure/request-erasure.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { eraseSubjectExample, requestedExample } from './examples.ts';
import { erasers } from './roles.ts';

export const eraseSubject = operation({
  name: 'eraseSubject',
  summary:
    'Erase everything about a person: memories, questions, sessions, attempts, lessons and summaries. What is stored about the person later is not affected',
  area: 'Administration',
  input: z.strictObject({ id: subjectField, ...eraseSubjectInput.shape }),
  output: z.object({
    receipt: z.string().meta({ description: 'Id of the receipt: `GET /v1/erasures/{id}`' }),
    position: positionField,
  }),
  examples: { input: eraseSubjectExample, output: requestedExample },
  access: erasers,
  command: { scope: ({ id }) => ['POST', `/v1/subjects/${id}/erase`], arguments: eraseSubjectInput },
  async handle({ context, input: { id, reason, files }, services: { commands, facts }, token }) {
    // What the person has asked until now is recorded first, or it would be sealed with a key that stays.
    await facts.flush();
    const { erasureId, position, replayed } = await requestSubjectErasure(
      commands,
      { ...context, reason },
      id,
      files,
    );
    return { output: { receipt: erasureId, position: token(position) }, replayed };
  },
});
