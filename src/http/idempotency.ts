import { hash } from 'node:crypto';
import type { Context } from 'koa';
import type { Idempotency } from '../commands/context.ts';
import type { TenantContext } from '../domain/access/context.ts';
import { canonicalJson } from '../domain/json.ts';
import { invalid } from '../domain/problems.ts';
import type { KeyVault } from '../ports/key-vault.ts';

const keyPattern = /^[\x21-\x7e]{1,255}$/;

/** The command of an `Idempotency-Key`, bound to `body`. */
export function idempotencyOf(
  koa: Context,
  caller: TenantContext,
  body: unknown,
  vault: KeyVault,
): Idempotency | undefined {
  const key = koa.get('idempotency-key');
  if (koa.headers['idempotency-key'] === undefined) return undefined;
  if (!keyPattern.test(key)) throw invalid('Idempotency-Key', 'must be 1 to 255 visible ASCII characters');
  const id = hashOf([caller.tenant, caller.principal, caller.user ?? '', koa.method, koa.path, key]);
  return command(vault, caller, id, [body ?? null, modeOf(koa)]);
}

/** The command of one line of a bulk body: its own id, so that a line that is done replays alone. */
export function lineIdempotency(
  vault: KeyVault,
  caller: TenantContext,
  whole: Idempotency | undefined,
  line: number,
  body: unknown,
): Idempotency | undefined {
  return whole && command(vault, caller, hashOf([whole.commandId, line]), [body]);
}

/** The hash of the body stands in clear beside the event: without a key a short text could be found by trying all, also once it was erased. */
function command(vault: KeyVault, { tenant }: TenantContext, commandId: string, body: unknown): Idempotency {
  const plain = hashOf(body);
  return {
    commandId,
    bodyHash: vault.pseudonym('body', tenant, `${commandId} ${plain}`),
    plainBodyHash: plain,
  };
}

/** The mode of a deletion; the default is the same command whether it is written out or not. */
function modeOf(koa: Context): unknown {
  const { mode } = koa.query;
  return mode === undefined || mode === 'soft' ? '' : mode;
}

function hashOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
