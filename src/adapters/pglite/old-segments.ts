import { closeSync, fdatasyncSync, fstatSync, openSync, readdirSync, writeSync } from 'node:fs';
import path from 'node:path';

const segmentName = /^[0-9A-F]{24}$/;
const zeros = Buffer.alloc(2 ** 20);

/**
 * Overwrites the segments of the write-ahead log that PostgreSQL keeps for later use: files with the names of segments after the one that
 * it writes to, which still have the contents of old ones. PostgreSQL itself leaves these bytes until it gets there, and expects nothing
 * in them. Must run in the thread of the database, which may take one of these files at any time.
 */
export function overwriteSpareSegments(cluster: string, current: string): void {
  const folder = path.join(cluster, 'pg_wal');
  for (const name of readdirSync(folder))
    if (segmentName.test(name) && name > current) overwrite(path.join(folder, name));
}

function overwrite(file: string): void {
  const descriptor = openSync(file, 'r+');
  try {
    const { size } = fstatSync(descriptor);
    for (let at = 0; at < size; at += zeros.length)
      writeSync(descriptor, zeros, 0, Math.min(zeros.length, size - at), at);
    fdatasyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
