import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool as ListedTool,
} from '@modelcontextprotocol/server';
import { hasRole } from '../domain/access/context.ts';
import { truncate } from '../domain/text/truncate.ts';
import { callTool } from './call-tool.ts';
import { guide } from './guide.ts';
import { jsonSchemaOf } from './json-schema.ts';
import { getPrompt, prompts } from './prompts.ts';
import { listResources, protocolError, readResource, resourceTemplates } from './resources.ts';
import type { Act, Performer, Session, ToolSet } from './session.ts';
import { tools } from './tools/index.ts';
import { annotationsOf, type Tool } from './tools/tool.ts';

/** Maximum number of characters quoted of a name that a client sent. */
const maxNameLength = 100;

const byName = new Map(tools.map((tool) => [tool.name as string, tool]));

const lists = new Map<string, ListedTool[]>();

/** The tools as clients see them. Only credentials of role agent may name a user. */
export function listedTools({
  set = 'all',
  isAgent,
}: {
  readonly set?: ToolSet | undefined;
  readonly isAgent: boolean;
}): ListedTool[] {
  const key = `${set} ${isAgent}`;
  let list = lists.get(key);
  if (!list) {
    const shown = set === 'core' ? tools.filter(({ isCore }) => isCore) : tools;
    list = shown.map((tool) => asListed(tool, isAgent));
    lists.set(key, list);
  }
  return list;
}

function asListed({ name, title, description, input, effect }: Tool, isAgent: boolean): ListedTool {
  return {
    name,
    title,
    description,
    inputSchema: jsonSchemaOf(isAgent ? input : input.omit({ user_id: true })),
    annotations: annotationsOf[effect],
  };
}

export const serverInfo = (version: string) => ({ name: 'stratalog', title: 'Stratalog memory', version });

/** An MCP server for one session: the tools, resources and prompts of this memory. */
export function createServer(version: string, session: Session, performer: Performer): Server {
  const server = new Server(serverInfo(version), {
    capabilities: { tools: {}, resources: {}, prompts: {} },
    instructions: guide,
  });
  server.setRequestHandler('tools/list', () => ({
    tools: listedTools({ set: session.tools, isAgent: hasRole(session.caller, 'agent') }),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const tool = byName.get(params.name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `there is no tool ${truncate(params.name, maxNameLength)}; the tools are ${[...byName.keys()].join(', ')}`,
      );
    const { signal, _meta: meta = {} } = context.mcpReq;
    return withProgress(context, () =>
      callTool(tool, { arguments: params.arguments, meta, signal }, session, performer),
    );
  });
  /** Runs a request whose refusal is an error of the protocol. */
  const answer = async <Result>(
    context: ServerContext,
    work: (act: Act) => Promise<Result>,
    uri?: string,
  ): Promise<Result> => {
    try {
      const act = performer.for(session, { signal: context.mcpReq.signal });
      return await withProgress(context, () => work(act));
    } catch (error) {
      if (error instanceof ProtocolError) throw error;
      throw protocolError(session.explain(error), session, uri);
    }
  };
  server.setRequestHandler('resources/list', ({ params }, context) =>
    answer(context, (act) => listResources(params?.cursor, act)),
  );
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates }));
  server.setRequestHandler('resources/read', ({ params: { uri } }, context) =>
    answer(context, (act) => readResource(uri, act), uri),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts }));
  server.setRequestHandler('prompts/get', ({ params }, context) =>
    answer(context, (act) => getPrompt(params.name, params.arguments, act)),
  );
  return server;
}

/** How often a client that asked for progress hears that its call still runs. */
const intervalMs = 1_000;

/** Notifies the client while the work runs, if its request has a progress token. */
export async function withProgress<Result>(
  { mcpReq }: Pick<ServerContext, 'mcpReq'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const { _meta: meta } = mcpReq;
  const token = meta?.progressToken;
  if (token === undefined) return work();
  let progress = 0;
  const timer = setInterval(() => {
    progress++;
    const params = { progressToken: token, progress, message: `running for ${progress} s` };
    // The client may have gone.
    mcpReq.notify({ method: 'notifications/progress', params }).catch(() => clearInterval(timer));
  }, intervalMs);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}
