import { totalmem } from 'node:os';
import type { Logger } from 'pino';
import { FlatIndex } from '../adapters/flat/flat-index.ts';
import { bytesOfVector } from '../adapters/flat/segment.ts';
import { ResidentWordIndex } from '../adapters/words/resident-word-index.ts';
import type { Config } from '../config.ts';
import { inDatabaseLimit } from '../domain/retrieval/exact-scan-limit.ts';
import type { Sql } from '../ports/sql.ts';

/** Limit for the vectors in memory, and the same again for the words. */
export const maxIndexBytes = totalmem() / 8;

/** Only for the profile embedded, where one process owns the database. Loaded after the words, which have no other index. */
export function openVectorsInMemory(
  { profile }: Config,
  sql: Sql,
  words: ResidentWordIndex | undefined,
  logger: Logger,
): FlatIndex | undefined {
  if (profile !== 'embedded') return undefined;
  return new FlatIndex(sql, {
    after: words?.firstLoaded,
    loadAbove: inDatabaseLimit,
    mostBytes: maxIndexBytes,
    onError: (error) =>
      logger.warn({ err: error }, 'vectors cannot be kept in memory: the database compares them'),
  });
}

/** Only for the profile embedded, where one process owns the database. */
export function openWordsInMemory(
  { profile }: Config,
  sql: Sql,
  logger: Logger,
): ResidentWordIndex | undefined {
  if (profile !== 'embedded') return undefined;
  return new ResidentWordIndex(sql, {
    mostBytes: maxIndexBytes,
    onError: (error) =>
      logger.warn({ err: error }, 'words cannot be kept in memory: searches use vectors alone'),
  });
}

/** How many vectors of one tenant fit into memory. */
export function vectorsThatFit(dimension: number): number {
  return Math.floor(maxIndexBytes / bytesOfVector(dimension));
}
