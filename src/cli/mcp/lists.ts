import { createHash } from 'node:crypto';
import type { ListToolsResult, Server } from '@modelcontextprotocol/server';

const kinds = { 'tools/list': 'tools', 'prompts/list': 'prompts' } as const;
type ListMethod = keyof typeof kinds;

/** Asks the process that serves the memory for a list. */
export type Ask = (method: ListMethod) => Promise<unknown>;

/**
 * Remembers the lists of tools and prompts that a client received, so that the client can be told when they, or the resources, change.
 */
export class Lists {
  readonly #server: Server;
  readonly #listed = new Map<ListMethod, string>();
  #reading = new Set<string>();
  #isLost = false;

  constructor(server: Server) {
    this.#server = server;
  }

  /** Called with a list that the client has received. */
  received(method: string, result: unknown): void {
    if (!isListMethod(method)) return;
    this.#listed.set(method, digestOf(method, result));
    if (method !== 'tools/list') return;
    const { tools } = result as ListToolsResult;
    this.#reading = new Set(
      tools.flatMap(({ name, annotations }) => (annotations?.readOnlyHint ? [name] : [])),
    );
  }

  /** Called after a tool succeeded. A tool that is not read-only may have changed the list of memories. */
  async called(name: string): Promise<void> {
    if (!this.#listed.has('tools/list') || this.#reading.has(name)) return;
    await this.#server.sendResourceListChanged();
  }

  /** Called when the process that served the memory is gone. */
  lost(): void {
    this.#isLost = true;
  }

  /** Called when the memory answers again. If another program serves it now, its lists are compared with what the client knows. */
  async answered(ask: Ask): Promise<void> {
    if (!this.#isLost) return;
    this.#isLost = false;
    for (const [method, before] of this.#listed) {
      if (digestOf(method, await ask(method)) === before) continue;
      this.#listed.delete(method);
      if (method === 'tools/list') await this.#server.sendToolListChanged();
      else await this.#server.sendPromptListChanged();
    }
  }
}

function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(kinds, method);
}

function digestOf(method: ListMethod, result: unknown): string {
  const list = (result as Record<string, unknown> | null)?.[kinds[method]];
  return createHash('sha256')
    .update(JSON.stringify(list) ?? '')
    .digest('base64');
}
