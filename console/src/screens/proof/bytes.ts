/** A SHA-256 hash of 32 bytes, or any other bytes. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** The browser lacks what the verification needs. The message says what to do. */
export class BrowserCannot extends Error {
  override readonly name = 'BrowserCannot';
}

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });

/** The bytes of a text in UTF-8. */
export const utf8 = (text: string): Bytes => encoder.encode(text);

/** The text of bytes in UTF-8. Throws a `TypeError` if they are not valid UTF-8. */
export const textOf = (bytes: Bytes): string => decoder.decode(bytes);

/** The bytes of a text in base64; undefined unless it is the canonical encoding. */
export function fromBase64(text: string): Bytes | undefined {
  let decoded: string;
  try {
    decoded = atob(text);
  } catch {
    return undefined;
  }
  const bytes = Uint8Array.from(decoded, (character) => character.charCodeAt(0));
  // `atob` ignores white space and bits after the end, so several texts would have the same bytes.
  return toBase64(bytes) === text ? bytes : undefined;
}

export const toBase64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes));

export const toHex = (bytes: Bytes): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');

export function concatenated(...parts: readonly Bytes[]): Bytes {
  const bytes = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

export const areEqual = (one: Bytes, other: Bytes): boolean =>
  one.length === other.length && one.every((byte, index) => byte === other[index]);

export async function sha256(bytes: Bytes): Promise<Bytes> {
  // Browsers offer it only to pages over TLS or from localhost.
  if (!('subtle' in crypto))
    throw new BrowserCannot(
      'Open the console over https or on localhost: elsewhere, browsers offer no cryptography.',
    );
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
}
