import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../src/adapters/random.ts';
import { postDocument } from '../../src/api/documents/receive-document.ts';
import { documentReactor } from '../../src/reactors/document-reactor.ts';
import { commandServices, type CommandContext } from '../../src/commands/context.ts';
import { systemClock } from '../../src/ports/clock.ts';
import type { DocumentReader } from '../../src/ports/document-reader.ts';
import { documentStream } from '../../src/domain/streams.ts';
import { inRequest } from '../../src/support/request-scope.ts';
import { openTestStore, type TestStore } from '../support/event-store.ts';

let test: TestStore;
beforeAll(async () => {
  test = await openTestStore();
});
afterAll(() => test.close());

const reader: DocumentReader = {
  read: async () => ({
    mediaType: 'text/markdown',
    contentType: 'note',
    blocks: [{ kind: 'text', text: 'Refunds take five working days.' }],
    replacements: 0,
  }),
};

/** Sends a file in a request with a turn. Resolves with the answer and what became of the turn. */
async function send(waitMs: number, isProcessed: boolean) {
  const tenant = `t${newId().replaceAll('-', '')}`;
  const nobody = { orgs: [], teams: [], projects: [], sessions: [], agents: [] };
  const caller = { tenant, principal: 'system', roles: ['admin' as const], ...nobody };
  const context: CommandContext = { caller, cause: 'system', correlationId: 'documents' };
  const commands = commandServices({ store: test.store, vault: test.vault, clock: systemClock, newId });
  const { signal } = new AbortController();
  const turns: string[] = [];
  const turn = {
    pause: () => {
      turns.push('pause');
      if (isProcessed) void process();
    },
    resume: async () => void turns.push('resume'),
  };
  const process = async () => {
    const { events } = await test.store.readAll({
      limit: 1,
      filter: { types: ['DocumentReceived'] },
      direction: 'backwards',
    });
    await documentReactor(commands, context, async () => []).handle(events, { signal });
  };
  const route = async () => ({ spaces: [], because: 'none' as const, details: {} });
  const services = { commands, documentReader: reader, contentRouter: { route } };
  const call = {
    caller,
    context,
    services,
    signal,
    token: String,
    input: {
      text: 'It is read by the reader.',
      layer: 'company',
      scope: {},
      spaces: [],
      tags: [],
      metadata: {},
      waitMs,
    },
  };
  const { output } = await inRequest({ signal, turn }, () => postDocument.handle(call as never));
  const id = output.document.id;
  return { document: output.document, turns, events: await test.store.load(documentStream(tenant, id)) };
}

/** Reading the file is the work of another process. */
const whileRead = ['pause', 'resume'];

describe('[I4] a request that waits for the sections of its document', () => {
  it('gives up its turn meanwhile, and answers as soon as they are stored', async () => {
    const { document, turns, events } = await send(20_000, true);
    expect(document).toMatchObject({ state: 'ready', memories: 1 });
    expect(turns).toEqual([...whileRead, 'pause', 'resume']);
    // One append for the last sections and the end.
    const [advanced, stored] = events.slice(-2);
    expect([advanced!.event.type, stored!.event.type]).toEqual(['DocumentAdvanced', 'DocumentStored']);
    expect(stored!.time).toEqual(advanced!.time);
  });

  it('answers when its time is over', async () => {
    const { document, turns } = await send(50, false);
    expect(document).toMatchObject({ state: 'processing', memories: 0 });
    expect(turns).toEqual([...whileRead, 'pause', 'resume']);
  });

  it('keeps its turn afterwards where it does not wait', async () => {
    const { document, turns } = await send(0, false);
    expect(document.state).toBe('processing');
    expect(turns).toEqual(whileRead);
  });
});
