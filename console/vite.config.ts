import path from 'node:path';
import { defineConfig } from 'vite';

/** `npm run console` serves the sources with hot reloading, and forwards API calls to this server. */
const server = process.env['STRATALOG_URL'] ?? 'http://127.0.0.1:8080';

export default defineConfig({
  root: import.meta.dirname,
  base: '/console/',
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  resolve: {
    alias: { '@stratalog/client': path.join(import.meta.dirname, '../packages/client/src/index.ts') },
  },
  build: {
    target: 'es2022',
    // The server's Content-Security-Policy allows no inlined scripts and fonts.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    emptyOutDir: true,
    // The licences of what is bundled ask for their text.
    license: { fileName: 'licenses.md' },
  },
  server: {
    proxy: Object.fromEntries(
      ['/v1', '/tlog', '/readyz', '/livez', '/metrics', '/openapi.json'].map((route) => [route, server]),
    ),
  },
});
