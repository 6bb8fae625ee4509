import { configOf } from '../../domain/spaces/spaces.ts';
import type { CommandServices } from '../context.ts';

/** Whether reasoning traces may name the space. */
export async function takesTraces(
  { spaces }: Pick<CommandServices, 'spaces'>,
  tenant: string,
  space: string,
): Promise<boolean> {
  return configOf(await spaces.of(tenant), space).enableReasoningMemory;
}
