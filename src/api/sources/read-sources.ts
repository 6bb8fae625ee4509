import { z } from 'zod';
import { unknownSource } from '../../commands/sources/configure-source.ts';
import { lastRun, loadSources } from '../../commands/sources/load-sources.ts';
import type { Source } from '../../domain/sources/sources.ts';
import { sourceIdSchema } from '../../domain/sources/source-config.ts';
import { waitFields } from '../fields.ts';
import { operation, type Call } from '../operation.ts';
import { sourceAdmins, sourceExample, sourceSchema, viewOfSource, type SourceView } from './source.ts';

export const listSources = operation({
  name: 'listSources',
  summary: 'List the sources of the tenant: what is read on a schedule, and what became of it',
  area: 'Documents',
  input: z.strictObject(waitFields),
  output: z.object({ items: z.array(sourceSchema) }),
  examples: { input: {}, output: { items: [sourceExample] } },
  access: sourceAdmins,
  reads: 'log',
  cost: () => 0.5,
  audit: { what: 'sources', when: 'always' },
  async handle(call) {
    const { configured } = await loadSources(call.services.commands, call.caller.tenant);
    const sources = [...configured.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
    const items: SourceView[] = [];
    for (const source of sources) items.push(await viewWithRun(call, source));
    return { output: { items }, read: { items: items.length } };
  },
});

export const getSource = operation({
  name: 'getSource',
  summary: 'Show a source: its configuration, its last run and its next one',
  area: 'Documents',
  input: z.strictObject({ id: sourceIdSchema, ...waitFields }),
  output: sourceSchema,
  examples: { input: { id: sourceExample.id }, output: sourceExample },
  access: sourceAdmins,
  reads: 'log',
  audit: { what: 'source', when: 'always' },
  async handle(call) {
    const { caller, input, services } = call;
    const source = (await loadSources(services.commands, caller.tenant)).configured.get(input.id);
    if (!source) throw unknownSource();
    return { output: await viewWithRun(call, source), read: { items: 1 } };
  },
});

/** A source with what the log says of its last run. */
export async function viewWithRun(
  { caller, services: { commands } }: Pick<Call<unknown>, 'caller' | 'services'>,
  source: Source,
): Promise<SourceView> {
  const last = await lastRun(commands, caller.tenant, source.id);
  const spaces = await commands.spaces.of(caller.tenant);
  return viewOfSource(caller, source, last?.run, { now: commands.clock.now(), spaces });
}
