import { deleteSource, patchSource, putSource, runSource } from '../../api/sources/configure-source.ts';
import { getSource, listSources } from '../../api/sources/read-sources.ts';
import { bind } from '../binding.ts';

const wait = ['minPosition', 'waitMs'];
const etag = ({ revision }: { readonly revision: number }) => ({ etag: `"${revision}"` });

export const sourceBindings = [
  bind(listSources, 'get', '/v1/sources', {
    success: { status: 200, description: 'The sources' },
    query: wait,
  }),
  bind(getSource, 'get', '/v1/sources/:id', {
    success: { status: 200, description: 'The source' },
    query: wait,
    headers: etag,
  }),
  bind(putSource, 'put', '/v1/sources/:id', {
    success: { status: 200, description: 'The new configuration' },
    created: { status: 201, description: 'The source is configured' },
    headers: ({ source }) => ({ ...etag(source), location: `/v1/sources/${source.id}` }),
  }),
  bind(patchSource, 'patch', '/v1/sources/:id', {
    success: { status: 200, description: 'The new configuration' },
    accepts: ['application/json', 'application/merge-patch+json'],
    headers: ({ source }) => etag(source),
  }),
  bind(deleteSource, 'delete', '/v1/sources/:id', {
    success: { status: 200, description: 'The source is not read any more' },
  }),
  bind(runSource, 'post', '/v1/sources/:id/run', {
    success: { status: 202, description: 'It is read soon: `lastRun` says what became of it' },
    bodyOptional: true,
  }),
];
