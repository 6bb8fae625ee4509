import { Stratalog } from '@stratalog/client';
import { perform, type Ask } from './asks.ts';
import { mcpTools } from './mcp-tools.ts';
import { shellWord } from './shell-word.ts';

/** A call in the forms in which a person can use it elsewhere. None contains the key. */
export interface CopiedCall {
  readonly curl: string;
  readonly code: string;
  /** Undefined if no MCP tool does the same. */
  readonly mcp: string | undefined;
}

/** The forms of a call, for the server at this address. `user` is the one that an agent acts for. */
export async function copiedCall(ask: Ask, url: string, user?: string): Promise<CopiedCall> {
  const tool = mcpTools[ask.name]?.(...(ask.args as never[]));
  const client = user === undefined ? 'client' : `client.onBehalfOf(${codeOf(user)})`;
  return {
    curl: await curlOf(ask, url, user),
    code: `await ${client}.${ask.name}(${ask.args.map(codeOf).join(', ')});`,
    mcp:
      tool &&
      JSON.stringify({ name: tool.name, arguments: defined({ ...tool.arguments, user_id: user }) }, null, 2),
  };
}

/** Makes the call with a client whose requests go nowhere, and writes down the request. */
async function curlOf(ask: Ask, url: string, user: string | undefined): Promise<string> {
  let command = '';
  const record: typeof fetch = (target, init) => {
    const { pathname, search } = new URL(target instanceof Request ? target.url : target);
    const lines = [`curl -X ${init?.method ?? 'GET'} ${shellWord(`${url}${pathname}${search}`)}`];
    lines.push('-H "Authorization: Bearer $STRATALOG_API_KEY"');
    const headers = new Headers(init?.headers);
    for (const name of ['x-on-behalf-of', 'content-type', 'if-match', 'accept'])
      if (headers.has(name)) lines.push(`-H ${shellWord(`${name}: ${headers.get(name)}`)}`);
    if (typeof init?.body === 'string') lines.push(`-d ${shellWord(init.body)}`);
    command = lines.join(' \\\n  ');
    return Promise.reject(new Error('recorded'));
  };
  const client = new Stratalog({ url, fetch: record, retries: 0 }).onBehalfOf(user);
  await perform(client, ask).catch(() => undefined);
  return command;
}

/** A value as JavaScript; JSON is a subset of it. */
const codeOf = (value: unknown): string => JSON.stringify(value, null, 2) ?? 'undefined';

function defined(values: object): object {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}
