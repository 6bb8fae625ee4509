import { callerKey, eventContext } from '../../commands/context.ts';
import type { EventContext } from '../../ports/event-store.ts';
import type { Call } from '../operation.ts';

/** Context of the events of a command on a projection. The operator's reason is sealed under the operator's own key. */
export function operatorContext({ services: { commands }, context }: Call<unknown>): EventContext {
  return eventContext(context, callerKey(commands.vault, context.caller));
}

/** The position of a command whose effect is not an event, or whose event is in the log by now. */
export async function headOf({ services: { commands }, token }: Call<unknown>): Promise<string> {
  return token(await commands.store.log.head());
}

export function projectionPath(name: string, act: string): readonly ['POST', string] {
  return ['POST', `/v1/admin/projections/${name}/${act}`];
}
