import type { Router } from '@koa/router';
import type { Context } from 'koa';
import { auditors } from '../api/audit/roles.ts';
import { hasRole, systemTenant, type TenantContext } from '../domain/access/context.ts';
import { Problem } from '../domain/problems.ts';
import { tenantOfStream } from '../domain/streams.ts';
import { parseTilePath } from '../domain/tlog/tiles.ts';
import { identify, type ServingContext } from './serve-operation.ts';

const prefix = '/tlog/';

/**
 * Adds the routes of the log in the published form (C2SP tlog-tiles), for tools of others: its signed head, the tiles of its tree, and
 * its leaves. They are for auditors, or with `isPublic` for everyone.
 */
export function serveTlog(
  router: Router,
  { services: { proofs }, authenticator }: Pick<ServingContext, 'services' | 'authenticator'>,
  { isPublic }: { readonly isPublic: boolean },
): void {
  const auditor = async (koa: Context): Promise<TenantContext | undefined> => {
    if (isPublic) return undefined;
    const { caller } = await identify(koa, authenticator);
    if (!auditors.roles.some((role) => hasRole(caller, role)))
      throw new Problem('forbidden', auditors.refusal);
    return caller;
  };
  router.get(`${prefix}checkpoint`, async (koa: Context) => {
    await auditor(koa);
    const note = await proofs.checkpoint();
    if (note === undefined) throw new Problem('not-found', 'no head of the log has been signed yet');
    koa.set('Cache-Control', 'no-cache');
    koa.type = 'text/plain; charset=utf-8';
    koa.body = note;
  });
  router.get(/^\/tlog\/tile\/.+$/, async (koa: Context) => {
    const caller = await auditor(koa);
    const name = parseTilePath(koa.path.slice(prefix.length));
    if (!name)
      throw new Problem('not-found', 'this is not the address of a tile: tile/<level>/<index>[.p/<width>]');
    const { level, index, width } = name;
    let bytes: Buffer | undefined;
    if (level === 'entries') {
      const entries = await proofs.entries(name);
      if (
        entries &&
        caller &&
        !mayReadEntries(
          caller,
          entries.events.map(({ stream }) => stream),
        )
      )
        throw new Problem(
          'forbidden',
          'these leaves also name events of other tenants; with STRATALOG_TLOG=public everyone may read them',
        );
      bytes = entries?.bundle;
    } else bytes = await proofs.tile({ level, index, width });
    if (!bytes) throw new Problem('not-found', 'the tree has no such tile yet');
    // A full tile never changes, and a partial one is named by its width.
    koa.set('Cache-Control', `${isPublic ? 'public' : 'private'}, max-age=31536000, immutable`);
    koa.type = 'application/octet-stream';
    koa.body = bytes;
  });
}

/** Leaves name streams, so they are for auditors of all the tenants in them. */
function mayReadEntries(caller: TenantContext, streams: readonly string[]): boolean {
  return streams.every((stream) => [caller.tenant, systemTenant].includes(tenantOfStream(stream)));
}
