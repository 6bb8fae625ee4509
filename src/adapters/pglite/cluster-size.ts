import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';

/** Size in bytes of the tables and indexes of the cluster in a folder; 0 if it has none yet. */
export function clusterBytes(cluster: string): number {
  try {
    return readdirSync(path.join(cluster, 'base'), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .reduce((sum, { parentPath, name }) => sum + statSync(path.join(parentPath, name)).size, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 0;
    throw error;
  }
}
