// Builds the web console with vite: node bin/console.mjs FOLDER. A package has it in dist/console. A checkout builds it when its
// page is first opened after a change, so there is no build step to remember.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { cachedBuild, clientSources, root } from './cached-build.mjs';

/** Returns the folder with the console of the current sources. Throws with vite's message on a syntax error. */
export function builtConsole() {
  return cachedBuild('console', { sources: ['console', clientSources], script: 'console.mjs', build });
}

/** Builds the console into `outdir`. Throws with vite's message on a syntax error. */
export async function build(outdir) {
  const vite = await import('vite');
  await vite.build({
    configFile: path.join(root, 'console', 'vite.config.ts'),
    logLevel: 'error',
    build: { outDir: outdir },
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [, , outdir] = process.argv;
  await build(path.resolve(outdir));
}
