import { Problem } from '../../domain/problems.ts';
import { add } from './add.ts';
import { update, updateBatch } from './change.ts';
import { givingFeedback } from './feedback.ts';
import { history } from './history.ts';
import { listEntities } from './list-entities.ts';
import { get, list, searching } from './read.ts';
import { RecentSearches } from './recent-searches.ts';
import { remove, removeBatch, removeEntity, removeMatching } from './remove.ts';
import type { Handler } from './request.ts';

export interface Route {
  readonly method: string;
  /** With `:name` for parameters, without the slash at the end; `*` at the end is any rest. */
  readonly path: string;
  readonly handle: Handler;
}

/** Answered as soon as the credential has been accepted. The Python client does not start without the two ids. */
const ping: Handler = async ({ session: { caller } }) => ({
  status: 'ok',
  org_id: caller.tenant,
  project_id: caller.tenant,
});

/** The calls of mem0's clients, npm 3.3.1 and PyPI 2.2.1. */
export function mem0Routes(): readonly Route[] {
  const recent = new RecentSearches();
  return [
    { method: 'GET', path: '/v1/ping', handle: ping },
    { method: 'POST', path: '/v3/memories/add', handle: add },
    { method: 'POST', path: '/v3/memories', handle: list },
    { method: 'POST', path: '/v3/memories/search', handle: searching(recent) },
    { method: 'GET', path: '/v1/memories/:id', handle: get },
    { method: 'PUT', path: '/v1/memories/:id', handle: update },
    { method: 'DELETE', path: '/v1/memories/:id', handle: remove },
    { method: 'GET', path: '/v1/memories/:id/history', handle: history },
    { method: 'DELETE', path: '/v1/memories', handle: removeMatching },
    { method: 'GET', path: '/v1/entities', handle: listEntities },
    { method: 'DELETE', path: '/v1/entities/:type/:name', handle: removeEntity },
    { method: 'DELETE', path: '/v2/entities/:type/:name', handle: removeEntity },
    { method: 'PUT', path: '/v1/batch', handle: updateBatch },
    { method: 'DELETE', path: '/v1/batch', handle: removeBatch },
    { method: 'POST', path: '/v1/feedback', handle: givingFeedback(recent) },
    ...unsupported.flatMap(({ calls, instead }) =>
      calls.map((call): Route => {
        const [method = '', path = ''] = call.split(' ');
        return { method, path, handle: () => Promise.reject(new Problem('not-supported', instead)) };
      }),
    ),
  ];
}

const newerClient =
  'an older client of mem0 calls this path; use mem0ai 3.3.1 of npm or mem0ai 2.2.1 of PyPI, or a later one';

/** Calls that have no meaning here, and what to use instead. */
const unsupported: readonly { readonly calls: readonly string[]; readonly instead: string }[] = [
  {
    calls: ['POST /v1/exports', 'POST /v1/exports/get'],
    instead: 'exports by a schema are not made here; `stratalog export` writes memories as NDJSON',
  },
  {
    calls: ['POST /v1/summary'],
    instead: 'summaries of exports are not made here; read the memories with get_all',
  },
  {
    calls: ['GET /v2/entities/:type/:name/profile', 'GET /v2/profiles/*', 'POST /v2/profiles/*'],
    instead: 'profiles of users are not made here; search with filters {"user_id": …} for what is known',
  },
  {
    calls: [
      'GET /api/v1/orgs/*',
      'POST /api/v1/orgs/*',
      'PATCH /api/v1/orgs/*',
      'PUT /api/v1/orgs/*',
      'DELETE /api/v1/orgs/*',
    ],
    instead:
      'there are no projects of mem0 here; an admin manages keys, which say who sees what, at /v1/admin/keys',
  },
  {
    calls: [
      'GET /api/v1/webhooks/*',
      'POST /api/v1/webhooks/*',
      'PUT /api/v1/webhooks/*',
      'DELETE /api/v1/webhooks/*',
    ],
    instead:
      'there are no webhooks here; follow GET /v1/audit/events?follow=true, or the topics of the cluster profile',
  },
  {
    calls: ['GET /v1/event/*', 'GET /v1/events'],
    instead: 'adding is complete when it is answered: there is no event to wait for',
  },
  {
    calls: [
      'POST /v1/memories',
      'GET /v1/memories',
      'POST /v1/memories/search',
      'POST /v2/memories',
      'POST /v2/memories/search',
    ],
    instead: newerClient,
  },
];

export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** The route of a path below `/compat/mem0`, with or without the slash at its end; or the methods that the path has. */
export function matchRoute(
  routes: readonly Route[],
  method: string,
  path: string,
): Match | { readonly allowed: readonly string[] } {
  const segments = path.replace(/\/$/, '').split('/');
  const matches = routes.flatMap((route): Match[] => {
    const params = paramsOf(route.path.split('/'), segments);
    return params ? [{ route, params }] : [];
  });
  const match = matches.find(({ route }) => route.method === method);
  return match ?? { allowed: [...new Set(matches.map(({ route }) => route.method))] };
}

function paramsOf(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const takesRest = pattern.at(-1) === '*';
  if (takesRest ? segments.length < pattern.length : segments.length !== pattern.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const segment = segments[index]!;
    if (part === '*') break;
    if (part.startsWith(':')) {
      if (segment === '') return undefined;
      params[part.slice(1)] = segment;
    } else if (part !== segment) return undefined;
  }
  return params;
}
