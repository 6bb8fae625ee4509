import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Creates a folder with access only for its owner, and its missing parents. Node's own `recursive` option never ends below a
 * folder that answers every attempt with ENOENT, as /proc does.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await makeOne(folder);
  } catch (error) {
    const above = path.dirname(folder);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === folder) throw error;
    await makeFolder(above);
    await makeOne(folder);
  }
}

/** Creates a folder whose parent exists. */
async function makeOne(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  });
}
