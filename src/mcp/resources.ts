import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  type ListResourcesResult,
  type ReadResourceResult,
  type ResourceTemplateType,
} from '@modelcontextprotocol/server';
import { getMemory } from '../api/memories/get-memory.ts';
import { listMemories } from '../api/memories/list-memories.ts';
import { memoryHistory } from '../api/memories/memory-history.ts';
import { getSpace, listSpaces } from '../api/spaces/read-spaces.ts';
import type { Problem } from '../domain/problems.ts';
import { truncate } from '../domain/text/truncate.ts';
import { refusalText } from './refusal.ts';
import type { Act, Session } from './session.ts';

export const resourceTemplates: ResourceTemplateType[] = [
  {
    uriTemplate: 'memory://{id}',
    name: 'memory',
    title: 'A memory',
    description: 'One memory with all its fields',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'memory://{id}/history',
    name: 'memory-history',
    title: 'The history of a memory',
    description: 'Every version of a memory: what changed, when, by whom and why',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'space://{id}',
    name: 'space',
    title: 'A space',
    description: 'What a space accepts, how long its memories stay, and what it holds',
    mimeType: 'application/json',
  },
];

/** The resource that lists all spaces. */
const allSpaces = 'space://';

/** Maximum number of versions that a resource shows. */
const maxVersions = 500;
const maxNameLength = 80;

/** The newest memories, page by page. */
export async function listResources(cursor: string | undefined, act: Act): Promise<ListResourcesResult> {
  const { items, nextCursor } = await act(listMemories, { cursor });
  const memories = items.map(({ id, content, updatedAt }) => ({
    uri: `memory://${id}`,
    name: nameOf(content),
    mimeType: 'application/json',
    annotations: { lastModified: updatedAt },
  }));
  const first = { uri: allSpaces, name: 'spaces', title: 'All spaces', mimeType: 'application/json' };
  return {
    resources: cursor === undefined ? [first, ...memories] : memories,
    ...(nextCursor !== undefined && { nextCursor }),
  };
}

export async function readResource(uri: string, act: Act): Promise<ReadResourceResult> {
  if (uri === allSpaces) return asJson(uri, await act(listSpaces, {}));
  const [, spaceId] = /^space:\/\/([^/?#]+)$/.exec(uri) ?? [];
  if (spaceId !== undefined) return asJson(uri, await act(getSpace, { spaceId: decoded(spaceId, uri) }));
  const [, id, history] = /^memory:\/\/([^/?#]+)(\/history)?$/.exec(uri) ?? [];
  if (id === undefined) throw new ResourceNotFoundError(uri);
  const memoryId = decoded(id, uri);
  const found = history
    ? await act(memoryHistory, { memoryId, limit: maxVersions })
    : await act(getMemory, { memoryId });
  return asJson(uri, found);
}

function asJson(uri: string, value: unknown): ReadResourceResult {
  return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(value, null, 2) }] };
}

/** The error of the protocol for a request whose result has no place for a problem. */
export function protocolError(problem: Problem, { requestId }: Session, uri?: string): ProtocolError {
  if (problem.code === 'not-found' && uri !== undefined) return new ResourceNotFoundError(uri);
  const code = problem.status < 500 ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError;
  return new ProtocolError(code, refusalText(problem, requestId));
}

function decoded(id: string, uri: string): string {
  try {
    return decodeURIComponent(id);
  } catch {
    throw new ResourceNotFoundError(uri);
  }
}

/** The first line of the content. */
function nameOf(content: string): string {
  const [line = ''] = content.trim().split('\n', 1);
  return line.length <= maxNameLength ? line : `${truncate(line, maxNameLength - 1)}…`;
}
