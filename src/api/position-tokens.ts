import { createCipheriv, createDecipheriv, createHash } from 'node:crypto';
import { hasRole, type TenantContext } from '../domain/access/context.ts';
import {
  encryptedToken,
  mustBePosition,
  positionToken,
  readPositionToken,
  unknownPosition,
} from '../domain/position.ts';

const algorithm = 'aes-128-ecb';
/** One block: the position, and zeros that show that it was encrypted with this key. */
const blockBytes = 16;
const sealDigits = 10;
/** A client names the commands that were under way at once. */
const maxNamed = 100;

/**
 * The positions of the log as callers see them. A position counts the events of all tenants, so only callers who may read the audit see the
 * number. What they hand on to others has a seal: nobody else can make a token, and find out by trying how far the log is.
 */
export class PositionTokens {
  readonly #logId: string;
  readonly #key: Buffer;

  /** @param secret known to all processes of this log, and to nobody else */
  constructor(logId: string, secret: string) {
    this.#logId = logId;
    this.#key = createHash('sha256').update(`position token\n${secret}`).digest().subarray(0, 16);
  }

  /** The token of a position for a caller. Equal positions have equal tokens. */
  of(caller: TenantContext, position: number): string {
    const encrypted = this.#encrypted(position);
    return seesNumbers(caller)
      ? positionToken(this.#logId, position, encrypted.slice(0, sealDigits))
      : encryptedToken(this.#logId, encrypted);
  }

  /**
   * The position that a caller names. Throws `position-unknown` if the token is malformed, of another log or made up. `field` and
   * `expectation` are for the message.
   */
  parse(caller: TenantContext, token: string, field: string, expectation = mustBePosition): number {
    const read = readPositionToken(this.#logId, token, field, expectation);
    if ('encrypted' in read) {
      const position = this.#decrypted(read.encrypted);
      if (position === undefined) throw unknownPosition(field, expectation);
      return position;
    }
    const isSealed = read.seal === this.#encrypted(read.position).slice(0, sealDigits);
    if (!isSealed && (read.seal !== undefined || !seesNumbers(caller)))
      throw unknownPosition(field, expectation);
    return read.position;
  }

  /** The last of the positions that a caller names, separated by commas. */
  parseLast(caller: TenantContext, tokens: string, field: string): number {
    const named = tokens.split(',');
    if (named.length > maxNamed) throw unknownPosition(field, `must name at most ${maxNamed} positions`);
    return Math.max(...named.map((token) => this.parse(caller, token, field)));
  }

  #encrypted(position: number): string {
    const block = Buffer.alloc(blockBytes);
    block.writeBigUInt64BE(BigInt(position));
    const cipher = createCipheriv(algorithm, this.#key, null).setAutoPadding(false);
    return Buffer.concat([cipher.update(block), cipher.final()]).toString('hex');
  }

  /** Undefined if it was not encrypted with the key. */
  #decrypted(encrypted: string): number | undefined {
    const decipher = createDecipheriv(algorithm, this.#key, null).setAutoPadding(false);
    const block = Buffer.concat([decipher.update(Buffer.from(encrypted, 'hex')), decipher.final()]);
    return block.readBigUInt64BE(8) === 0n ? Number(block.readBigUInt64BE()) : undefined;
  }
}

/** Whether the caller may read the audit, in which every event has its position. */
function seesNumbers(caller: TenantContext): boolean {
  return hasRole(caller, 'admin', 'auditor');
}
