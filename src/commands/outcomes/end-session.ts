import { isWriter } from '../../domain/access/visibility.ts';
import type { SessionEvent } from '../../domain/learning/events.ts';
import { sessionKeyOf } from '../../domain/learning/session-key.ts';
import { Problem } from '../../domain/problems.ts';
import { sessionStream } from '../../domain/streams.ts';
import { changeStream } from '../change-stream.ts';
import { callerKey, type CommandContext, type CommandResult, type CommandServices } from '../context.ts';

/** Records that a session of the caller has ended. It may go on later and end again. */
export async function endSession(
  services: CommandServices,
  context: CommandContext,
  sessionId: string,
): Promise<CommandResult> {
  const { caller } = context;
  if (!isWriter(caller))
    throw new Problem('forbidden', 'ending a session needs the role agent, member or admin');
  const session = sessionKeyOf(services.vault, caller, sessionId);
  const { position, replayed } = await changeStream<SessionEvent>(services, context, {
    stream: sessionStream(caller.tenant, session),
    memoryId: '',
    decide: () => [{ type: 'SessionEnded', data: { session, sessionId } }],
    key: () => callerKey(services.vault, caller),
  });
  return { position, replayed };
}
