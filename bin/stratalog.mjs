#!/usr/bin/env node
// In a package, runs dist/. In a checkout, bundles src/ first if it has changed; so does a package that was packed without its
// dist/, because the scripts of npm were switched off.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.setSourceMapsEnabled(true);
let folder = path.join(root, 'dist');
// No package has this file. In a checkout, dist/ is left from packing and may be older than the sources.
const isCheckout = existsSync(path.join(root, 'tsconfig.json'));
if (isCheckout || !existsSync(path.join(folder, 'main.js'))) {
  const { builtCheckout } = await import('./build.mjs');
  folder = await builtCheckout().catch((error) => {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(error.code)) throw error;
    console.error(
      `stratalog: the first start writes to ${root}, and may not (${error.code}). Run \`stratalog --version\` once as the owner of that folder, or pack with \`npm pack --ignore-scripts=false\`.`,
    );
    process.exit(1);
  });
}
const { main } = await import(pathToFileURL(path.join(folder, 'main.js')).href);
await main(process.argv);
