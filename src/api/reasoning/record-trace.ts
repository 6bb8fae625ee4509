import { z } from 'zod';
import {
  placeTrace,
  recordTrace as record,
  recordTraceInput,
} from '../../commands/experience/record-trace.ts';
import { traceSchema } from '../../domain/experience/trace-view.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { recordedTraceExample, recordTraceExample } from './examples.ts';

export const recordTrace = operation({
  name: 'recordTrace',
  summary: 'Record how a question or task was approached and how that ended',
  area: 'Reasoning',
  input: recordTraceInput,
  output: z.object({ trace: traceSchema, position: positionField }).meta({ id: 'RecordedTrace' }),
  examples: { input: recordTraceExample, output: recordedTraceExample },
  access: 'every-caller',
  command: { scope: () => ['POST', '/v1/reasoning/traces'] },
  async handle({ caller, context, input, services, token }) {
    const { commands, traces } = services;
    const similar = await traces.nearest(caller, input.query, placeTrace(context, input));
    const { trace, position, replayed } = await record(commands, context, input, similar);
    return { output: { trace, position: token(position) }, replayed };
  },
});
