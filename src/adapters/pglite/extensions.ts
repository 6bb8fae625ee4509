import type { Extensions } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { vector } from '@electric-sql/pglite-pgvector';

export const extensions: Extensions = { vector, pg_textsearch };
