import { archiveMemory, unarchiveMemory } from '../commands/archive-memory.ts';
import { causedBy, type CommandContext } from '../commands/context.ts';
import { readConversations, recordedConversations } from '../commands/conversations/generations.ts';
import { claimTold } from '../commands/conversations/keep-beside.ts';
import { settleConflicts } from '../commands/conversations/tell-fact.ts';
import { compareGenerations, madeOf, type GenerationEvent } from '../domain/conversations/generations.ts';
import { Problem } from '../domain/problems.ts';
import type { Reactor } from '../follow/reactor.ts';
import type { LoadedEvent } from '../ports/event-store.ts';
import {
  readFacts,
  tellFacts,
  type FactReactorParts,
  type Recorded,
  type WantedFacts,
} from './fact-reactor.ts';

/** Conversations that language models read at once: fewer than of those that are new, which go first. */
const atOnce = 4;
/** Deleted or erased meanwhile, or archived by somebody who does not want it. */
const passing: readonly string[] = ['not-found', 'memory-deleted'];

/**
 * Makes facts anew beside the live ones, and switches between generations. Both begin with what is done already if a process is killed:
 * a conversation whose facts are drawn is not read again, and archiving twice changes nothing.
 */
export function factGenerations(parts: FactReactorParts, context: CommandContext): Reactor {
  return {
    name: 'fact-generations',
    handles: ['FactsRebuildRequested', 'FactsSwitched'],
    routingOnly: true,
    async handle(events, { signal }) {
      for (const loaded of events as readonly LoadedEvent<GenerationEvent>[]) {
        const own = causedBy(context, loaded);
        const { event, position } = loaded;
        if (event.type === 'FactsRebuildRequested') {
          const { generation, model } = event.data;
          await rebuild(parts, own, { generation, model, upTo: position }, signal);
        } else await switchTo(parts, own, { ...event.data, upTo: position }, signal);
      }
    },
  };
}

async function rebuild(
  parts: FactReactorParts,
  own: CommandContext,
  { upTo, ...wanted }: WantedFacts & { readonly upTo: number },
  signal: AbortSignal,
): Promise<void> {
  let some: Recorded[] = [];
  const draw = async (): Promise<void> => {
    const read = await Promise.allSettled(some.map((each) => readFacts(parts, own, each, wanted, signal)));
    const failed = read.find((each) => each.status === 'rejected');
    if (failed) throw failed.reason;
    for (const each of some) await tellFacts(parts, own, each, { ...wanted, isLive: false });
    some = [];
  };
  for await (const recorded of recordedConversations(parts.services, own.caller.tenant, upTo)) {
    signal.throwIfAborted();
    some.push(recorded);
    if (some.length === atOnce) await draw();
  }
  await draw();
}

async function switchTo(
  { services, finder }: FactReactorParts,
  own: CommandContext,
  { from, to, upTo }: { readonly from: number; readonly to: number; readonly upTo: number },
  signal: AbortSignal,
): Promise<void> {
  const conversations = await readConversations(services, own.caller.tenant, upTo);
  const { onlyFrom, onlyTo } = compareGenerations(conversations, from, to);
  const context: CommandContext = {
    ...own,
    caller: { ...own.caller, roles: ['admin'] },
    cause: 'llm',
    reason: `facts of generation ${to} are live`,
  };
  // What comes is there before what goes: nothing is missing in between.
  for (const id of madeOf(conversations, onlyTo)) {
    signal.throwIfAborted();
    await unlessGone(async () => {
      const { snapshot, position } = await unarchiveMemory(services, context, id, undefined);
      await claimTold(services, context, snapshot.state.value);
      await settleConflicts({ services, finder }, context, id, position);
    });
  }
  for (const id of madeOf(conversations, onlyFrom)) {
    signal.throwIfAborted();
    await unlessGone(() => archiveMemory(services, context, id, undefined));
  }
}

async function unlessGone(act: () => Promise<unknown>): Promise<void> {
  await act().catch((error: unknown) => {
    if (!(error instanceof Problem && passing.includes(error.code))) throw error;
  });
}
