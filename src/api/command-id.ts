import { hash } from 'node:crypto';
import type { Idempotency } from '../commands/context.ts';
import type { TenantContext } from '../domain/access/context.ts';
import { canonicalJson } from '../domain/json.ts';
import type { KeyVault } from '../ports/key-vault.ts';

/** Id of the command that a caller names by an idempotency key, and the hash of its arguments. */
export function commandIdentity(
  vault: KeyVault,
  caller: TenantContext,
  command: {
    readonly key: string;
    readonly scope: readonly [method: string, path: string];
    readonly sent: unknown;
    readonly variant: string;
  },
): Idempotency {
  const { tenant, principal, user = '' } = caller;
  const commandId = hashOf([tenant, principal, user, ...command.scope, command.key]);
  return identity(vault, tenant, commandId, [command.sent ?? null, command.variant]);
}

/** One line of a bulk command has an id of its own, so that a repetition replays the lines that were done before. */
export function lineIdentity(
  vault: KeyVault,
  { tenant }: TenantContext,
  whole: Idempotency | undefined,
  line: number,
  body: unknown,
): Idempotency | undefined {
  return whole && identity(vault, tenant, hashOf([whole.commandId, line]), [body]);
}

/**
 * The hash is keyed because it is stored unencrypted beside the event. An unkeyed hash would reveal a short text to anyone who hashes
 * all short texts, even after the text was erased.
 */
function identity(vault: KeyVault, tenant: string, commandId: string, body: unknown): Idempotency {
  const plainBodyHash = hashOf(body);
  return {
    commandId,
    bodyHash: vault.pseudonym('body', tenant, `${commandId} ${plainBodyHash}`),
    plainBodyHash,
  };
}

function hashOf(value: unknown): string {
  return hash('sha256', canonicalJson(value));
}
