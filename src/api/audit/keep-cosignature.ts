import { z } from 'zod';
import { text } from '../../domain/json.ts';
import { operation } from '../operation.ts';
import { cosignedExample, headsExample } from './examples.ts';
import { auditors } from './roles.ts';

export const keepCosignature = operation({
  name: 'keepCosignature',
  summary: 'Keep in the log that a witness confirmed one of its heads (C2SP tlog-cosignature)',
  area: 'Audit',
  input: z.strictObject({
    note: text(20_000).meta({ description: 'The head with the signature of the witness' }),
    witnessKey: text(500).meta({
      description: 'Verifier key of the witness; the signature is verified with it',
    }),
  }),
  output: z.object({
    size: z.int().meta({ description: 'Number of events that the head covers' }),
    witness: z.string(),
    position: z.string(),
  }),
  examples: {
    input: { note: cosignedExample, witnessKey: 'witness.example+6a1c9f20+BOHm3Q0…' },
    output: {
      size: headsExample.items[0]!.size,
      witness: 'witness.example',
      position: headsExample.items[0]!.position,
    },
  },
  access: auditors,
  command: { scope: () => ['POST', '/v1/audit/cosignatures'] },
  async handle({ input, context, services: { proofs }, token }) {
    const { position, replayed, ...kept } = await proofs.keepCosignature(context, input);
    return { output: { ...kept, position: token(position) }, replayed };
  },
});
