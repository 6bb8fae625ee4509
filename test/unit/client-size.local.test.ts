import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

const mostBytes = 15_000;

it('[J3] the client has no dependencies, and is small when a program bundles it', async () => {
  const { outputFiles, metafile } = await build({
    entryPoints: ['packages/client/src/index.ts'],
    bundle: true,
    minify: true,
    format: 'esm',
    // Fails for a module that browsers do not have.
    platform: 'browser',
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((file) => !file.startsWith('packages/client/src/'))).toEqual([]);
  expect(gzipSync(outputFiles[0]!.contents).length).toBeLessThan(mostBytes);
});
