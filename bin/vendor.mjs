// npm run vendor
// Copies what /docs serves from the npm package of Swagger UI into vendor/ (vendor/README.md says why).
import { copyFile, mkdir } from 'node:fs/promises';
import path from 'node:path';

const from = path.join('node_modules', 'swagger-ui-dist');
const to = path.join('vendor', 'swagger-ui');
await mkdir(to, { recursive: true });
for (const file of [
  'LICENSE',
  'NOTICE',
  'swagger-ui.css',
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
])
  await copyFile(path.join(from, file), path.join(to, file));
