import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';

/**
 * Makes a folder that its owner alone may look into, and those above it. Node's own `recursive` never ends below a
 * folder that lets nothing be made in it and says ENOENT for that, as /proc does.
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

/** Below one that is there. */
async function makeOne(folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST' || !(await stat(folder)).isDirectory()) throw error;
  });
}
