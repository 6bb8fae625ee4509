import { archiveMemory, unarchiveMemory } from '../../api/memories/archive-memory.ts';
import { bulkStore } from '../../api/memories/bulk-store.ts';
import { deleteMemory } from '../../api/memories/delete-memory.ts';
import { getMemory } from '../../api/memories/get-memory.ts';
import { giveFeedback } from '../../api/memories/give-feedback.ts';
import { linkMemories } from '../../api/memories/link-memories.ts';
import { listMemories } from '../../api/memories/list-memories.ts';
import { memoryHistory } from '../../api/memories/memory-history.ts';
import { memorySurfaces } from '../../api/memories/memory-surfaces.ts';
import { putMemory } from '../../api/memories/put-memory.ts';
import { relatedMemories } from '../../api/memories/related-memories.ts';
import { restoreMemory } from '../../api/memories/restore-memory.ts';
import { storeMemory } from '../../api/memories/store-memory.ts';
import { unlinkMemories } from '../../api/memories/unlink-memories.ts';
import { updateMemory } from '../../api/memories/update-memory.ts';
import { validateMemories } from '../../api/memories/validate-memories.ts';
import { bind } from '../binding.ts';
import { ndjson, ndjsonTypes, readLines } from '../ndjson.ts';

const rename = { id: 'memoryId' };
const wait = ['minPosition', 'waitMs'];
const page = ['limit', 'cursor'];

const listFilters = [
  'layer',
  'space',
  'tag',
  'layers',
  'spaces',
  'tags',
  'externalId',
  'state',
  'createdAfter',
  'createdBefore',
  'filter',
];

const etag = (revision: number) => ({ etag: `"${revision}"` });

/** The revision of an answer about a memory that is not erased. */
const etagOf = ({ memory }: { readonly memory: { readonly revision: number; readonly state: string } }) =>
  memory.state === 'erased' ? {} : etag(memory.revision);

const located = ({ memory }: { readonly memory: { readonly id: string; readonly revision: number } }) => ({
  ...etag(memory.revision),
  location: `/v1/memories/${memory.id}`,
});

/** Bytes of results that may wait for a client that sends everything before it reads; beyond, the body is not read on. */
const maxWaitingBytes = 16 * 1024 * 1024;

/** `bulk` and `validate` come before `:id`, which would match them too. */
export const memoryBindings = [
  bind(bulkStore, 'post', '/v1/memories/bulk', {
    success: { status: 200, description: 'One result per line, in order', contentType: ndjson },
    accepts: ndjsonTypes,
    streamedBody: { field: 'lines', read: readLines },
    readAhead: { highWaterMark: maxWaitingBytes, objectMode: false },
  }),
  bind(validateMemories, 'post', '/v1/memories/validate', {
    success: { status: 200, description: 'The contradictions and supersessions that were found' },
  }),
  bind(storeMemory, 'post', '/v1/memories', {
    success: { status: 200, description: 'Told again: the memory that said it first' },
    created: { status: 201, description: 'Stored' },
    headers: located,
  }),
  bind(putMemory, 'put', '/v1/memories/external/:externalId', {
    success: { status: 200, description: 'Replaced, or unchanged with the same revision' },
    created: { status: 201, description: 'Stored' },
    textInPath: 'externalId',
    headers: located,
  }),
  bind(listMemories, 'get', '/v1/memories', {
    success: { status: 200, description: 'A page of memories' },
    query: [...listFilters, 'includeQuarantined', 'asOf', 'order', ...page, ...wait],
  }),
  bind(getMemory, 'get', '/v1/memories/:id', {
    success: { status: 200, description: 'The memory' },
    rename,
    query: ['includeQuarantined', 'asOf', ...wait],
    headers: ({ revision }) => etag(revision),
    revalidates: true,
  }),
  bind(updateMemory, 'patch', '/v1/memories/:id', {
    success: { status: 200, description: 'The changed memory' },
    rename,
    accepts: ['application/json', 'application/merge-patch+json'],
    headers: etagOf,
  }),
  bind(deleteMemory, 'delete', '/v1/memories/:id', {
    success: { status: 200, description: 'Deleted, or erased' },
    rename,
    query: ['mode', 'files'],
    headers: etagOf,
  }),
  bind(restoreMemory, 'post', '/v1/memories/:id/restore', {
    success: { status: 200, description: 'Restored' },
    rename,
    bodyOptional: true,
    headers: etagOf,
  }),
  bind(archiveMemory, 'post', '/v1/memories/:id/archive', {
    success: { status: 200, description: 'Archived' },
    rename,
    bodyOptional: true,
    headers: etagOf,
  }),
  bind(unarchiveMemory, 'post', '/v1/memories/:id/unarchive', {
    success: { status: 200, description: 'Active again' },
    rename,
    bodyOptional: true,
    headers: etagOf,
  }),
  bind(memoryHistory, 'get', '/v1/memories/:id/history', {
    success: { status: 200, description: 'Versions, oldest first' },
    rename,
    query: ['includeQuarantined', ...page, ...wait],
  }),
  bind(memorySurfaces, 'get', '/v1/memories/:id/surfaces', {
    success: { status: 200, description: 'Each place and how much it holds' },
    rename,
    query: wait,
  }),
  bind(linkMemories, 'put', '/v1/memories/:id/links/:type/:target', {
    success: { status: 200, description: 'The source memory, after the link was stored' },
    rename,
    bodyOptional: true,
    headers: etagOf,
  }),
  bind(unlinkMemories, 'delete', '/v1/memories/:id/links/:type/:target', {
    success: { status: 200, description: 'The source memory, after the link was removed' },
    rename,
    headers: etagOf,
  }),
  bind(relatedMemories, 'get', '/v1/memories/:id/related', {
    success: {
      status: 200,
      description: 'The nearest related memories, one item for each link of the last hop, at most 500',
    },
    rename,
    query: ['types', 'depth', 'asOf', ...wait],
    commas: ['types'],
  }),
  bind(giveFeedback, 'post', '/v1/memories/:id/feedback', {
    success: { status: 200, description: 'Recorded' },
    rename,
  }),
];
