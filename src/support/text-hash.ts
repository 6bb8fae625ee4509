import { hash } from 'node:crypto';

/** Identifies a text in vectors and in documents of the lexical index: SHA-256 of its UTF-8 bytes in base64url. */
export function textHash(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** SQL expression for the `textHash` of a column. */
export function textHashSql(column: string): string {
  return `translate(encode(sha256(convert_to(${column}, 'UTF8')), 'base64'), '+/=', '-_')`;
}
