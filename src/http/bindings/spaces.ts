import { configureSpaces, deleteSpace, patchSpace, putSpace } from '../../api/spaces/configure-space.ts';
import { getSpace, listSpaces } from '../../api/spaces/read-spaces.ts';
import { spaceStats } from '../../api/spaces/space-stats.ts';
import { bind } from '../binding.ts';

const wait = ['minPosition', 'waitMs'];
const rename = { id: 'spaceId' };
const etag = ({ revision }: { readonly revision: number }) => ({ etag: `"${revision}"` });

export const spaceBindings = [
  bind(listSpaces, 'get', '/v1/spaces', {
    success: { status: 200, description: 'The spaces' },
    query: wait,
  }),
  bind(getSpace, 'get', '/v1/spaces/:id', {
    success: { status: 200, description: 'The space' },
    rename,
    textInPath: 'id',
    query: wait,
    headers: etag,
  }),
  bind(spaceStats, 'get', '/v1/spaces/:id/stats', {
    success: { status: 200, description: 'The figures' },
    rename,
    textInPath: 'id',
    query: ['retentionDays', ...wait],
  }),
  bind(putSpace, 'put', '/v1/spaces/:id', {
    success: { status: 200, description: 'The new configuration' },
    created: { status: 201, description: 'The configuration of a space that had none' },
    rename,
    bodyOptional: true,
    headers: ({ space }) => ({ ...etag(space), location: `/v1/spaces/${space.id}` }),
  }),
  bind(patchSpace, 'patch', '/v1/spaces/:id', {
    success: { status: 200, description: 'The new configuration' },
    rename,
    accepts: ['application/json', 'application/merge-patch+json'],
    headers: ({ space }) => etag(space),
  }),
  bind(deleteSpace, 'delete', '/v1/spaces/:id', {
    success: { status: 200, description: 'The space has no configuration any more' },
    rename,
    query: ['memories'],
  }),
  bind(configureSpaces, 'put', '/v1/admin/spaces', {
    success: { status: 200, description: 'The new setting' },
  }),
];
