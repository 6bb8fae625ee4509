import { z } from 'zod';
import { systemTenant } from '../../domain/access/context.ts';
import { Problem } from '../../domain/problems.ts';
import { tenantOfStream } from '../../domain/streams.ts';
import { operation } from '../operation.ts';
import { headsExample, proofExample } from './examples.ts';
import { auditors } from './roles.ts';
import { notSigned } from './signed-heads.ts';

export const proveEvent = operation({
  name: 'proveEvent',
  summary: 'Prove that an event is in the log, verifiable without this server (C2SP tlog-proof)',
  area: 'Audit',
  input: z.strictObject({ position: z.string() }),
  output: z.string(),
  examples: { input: { position: headsExample.items[0]!.position }, output: proofExample },
  access: auditors,
  audit: { what: 'proof of an event', when: 'always' },
  async handle({ caller, input, services: { proofs, commands, positions } }) {
    const position = positions.parse(caller, input.position, 'position');
    const found = await proofs.find(position);
    if (!found) {
      if (position > (await commands.store.log.head()))
        throw new Problem('not-found', 'the log has no such position');
      throw notSigned();
    }
    const tenant = tenantOfStream(found.event.stream);
    if (tenant !== caller.tenant && tenant !== systemTenant) throw new Problem('not-found', 'no such event');
    const output = await proofs.prove(found);
    if (output === undefined) throw notSigned();
    return { output, read: { items: 1 } };
  },
});
