import { z } from 'zod';
import {
  placeTrace,
  recordTrace as record,
  recordTraceInput,
} from '../../commands/experience/record-trace.ts';
import { traceSchema } from '../../domain/experience/trace-view.ts';
import { unlessBehind } from '../../queries/read-models.ts';
import { positionField } from '../fields.ts';
import { operation } from '../operation.ts';
import { recordedTraceExample, recordTraceExample } from './examples.ts';
import { writers } from '../memories/roles.ts';

export const recordTrace = operation({
  name: 'recordTrace',
  summary: 'Record how a question or task was approached and how that ended',
  area: 'Reasoning',
  input: recordTraceInput,
  output: z.object({ trace: traceSchema, position: positionField }).meta({ id: 'RecordedTrace' }),
  examples: { input: recordTraceExample, output: recordedTraceExample },
  access: 'every-caller',
  serves: writers.roles,
  command: { scope: () => ['POST', '/v1/reasoning/traces'] },
  async handle({ caller, context, input, services, token }) {
    const { commands, traces } = services;
    const nearest = traces.nearest(caller, input.query, placeTrace(context, input));
    // An attempt is recorded all the same while the read model is built.
    const similar = await unlessBehind(nearest, undefined);
    const { trace, position, replayed } = await record(commands, context, input, similar);
    return { output: { trace, position: token(position) }, replayed };
  },
});
