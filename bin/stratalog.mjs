#!/usr/bin/env node
// In a package, runs dist/. In a checkout, bundles src/ first if it has changed.
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
process.setSourceMapsEnabled(true);
let folder = path.join(root, 'dist');
if (existsSync(path.join(root, 'src', 'cli', 'main.ts'))) {
  const { builtCheckout } = await import('./build.mjs');
  folder = await builtCheckout();
}
const { main } = await import(pathToFileURL(path.join(folder, 'main.js')).href);
await main(process.argv);
