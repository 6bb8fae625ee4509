import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { Router } from '@koa/router';

const assets: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css',
  'swagger-ui-bundle.js': 'text/javascript',
};

const page = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Stratalog API</title><link rel="stylesheet" href="/docs/swagger-ui.css"></head>
<body><div id="api"></div><script src="/docs/swagger-ui-bundle.js"></script><script src="/docs/start.js"></script></body>
</html>`;

/** The viewer needs inline styles and images; everything else must come from this server. */
const contentSecurityPolicy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";

/** Serves the OpenAPI document for browsers at `/docs`, from files of the package only. */
export function browsableDocs(router: Router): void {
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  router.get('/docs', (context) => {
    context.type = 'text/html';
    context.set('Content-Security-Policy', contentSecurityPolicy);
    context.body = page;
  });
  router.get('/docs/start.js', (context) => {
    context.type = 'text/javascript';
    context.body = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#api', validatorUrl: null });`;
  });
  for (const [name, type] of Object.entries(assets)) {
    router.get(`/docs/${name}`, (context) => {
      context.type = type;
      context.body = createReadStream(path.join(folder, name));
    });
  }
}
