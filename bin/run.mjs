// Bundles one TypeScript program of a checkout and runs its main: node bin/run.mjs bench/ranking/fit.ts --data DIR …
// Node 20 cannot run TypeScript. Packages are not bundled. The bundles of the worker threads are built next to it, for programs
// that use the adapters which start them.
import { build } from 'esbuild';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { fileURLToPath, pathToFileURL } from 'node:url';
import path from 'node:path';
import { build as buildProgram } from './build.mjs';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node bin/run.mjs FILE.ts [arguments]');
  process.exit(2);
}
/** The modules of `stack` find their files next to themselves, also when they are part of a bundle elsewhere. */
const stackInPlace = {
  name: 'stack-in-place',
  setup: ({ onLoad }) =>
    onLoad({ filter: /[\\/]stack[\\/][^\\/]+\.mjs$/ }, async ({ path: file }) => {
      const source = await readFile(file, 'utf8');
      return { contents: source.replaceAll('import.meta.url', JSON.stringify(pathToFileURL(file).href)) };
    }),
};
const { outputFiles } = await build({
  entryPoints: [path.resolve(entry)],
  write: false,
  bundle: true,
  packages: 'external',
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: 'inline',
  logLevel: 'error',
  plugins: [stackInPlace],
});
const name = path.relative(root, path.resolve(entry)).replaceAll(path.sep, '-');
const file = path.join(root, '.cache', 'run', name.replace(/\.ts$/, '.mjs'));
await buildProgram(path.dirname(file));
// Several worker processes may bundle the same file at once. Each writes its own copy, and the last rename wins.
await writeFile(`${file}.${process.pid}`, outputFiles[0].contents);
await rename(`${file}.${process.pid}`, file);
process.setSourceMapsEnabled(true);
const { main } = await import(pathToFileURL(file).href);
await main(args);
