import { hash } from 'node:crypto';

/** Names a text in vectors and in documents of the lexical index: SHA-256 of its UTF-8 in base64url. */
export function textHash(text: string): string {
  return hash('sha256', text, 'base64url');
}

/** The same of a column, in SQL. */
export function textHashSql(column: string): string {
  return `translate(encode(sha256(convert_to(${column}, 'UTF8')), 'base64'), '+/=', '-_')`;
}
