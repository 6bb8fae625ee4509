import { createReadStream } from 'node:fs';
import path from 'node:path';
import type { Router } from '@koa/router';
import { packageRoot } from '../support/package-root.ts';

/**
 * Swagger UI, copied into `vendor/`: its npm package depends on one that reports installations to its maker.
 * `vendor/README.md` says how to update it.
 */
const folder = path.join(packageRoot, 'vendor', 'swagger-ui');

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Stratalog API</title><meta name="color-scheme" content="light dark"><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="api"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>`;

/** The viewer has a dark mode, but leaves it to the page when to use it. */
const start = `const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
follow();
dark.addEventListener('change', follow);
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', validatorUrl: null });
`;

/** The viewer needs inline styles and images; everything else must come from this server. */
const contentSecurityPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Serves the OpenAPI document for browsers at `/docs`, from files of the package only. */
export function browsableDocs(router: Router): void {
  router.get('/docs', (context) => {
    context.type = 'text/html';
    context.set('Content-Security-Policy', contentSecurityPolicy);
    context.body = page;
  });
  router.get('/docs/start.js', (context) => {
    context.type = 'text/javascript';
    context.body = start;
  });
  for (const [name, type] of Object.entries(assets)) {
    router.get(`/docs/${name}`, (context) => {
      context.type = type;
      context.body = createReadStream(path.join(folder, name));
    });
  }
}
