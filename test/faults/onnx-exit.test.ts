import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageRoot } from '../../src/support/package-root.ts';

/** Exits while passages are embedded, or while the model is loaded for them. */
const program = `
  import { openOnnxEmbedder } from ${JSON.stringify(path.join(packageRoot, 'src/adapters/onnx/embedder.ts'))};
  import { bgeSmall } from ${JSON.stringify(path.join(packageRoot, 'src/adapters/onnx/models.ts'))};
  const embedder = await openOnnxEmbedder({ model: bgeSmall, workers: 2 });
  const texts = Array.from({ length: 500 }, (_, i) => \`passage \${i} \`.repeat(60));
  embedder.embed(texts, 'passage').catch(() => undefined);
  await embedder.embed(['a query'], 'query');
  setTimeout(() => process.exit(7), Number(process.argv[2]));
`;

describe('a process that exits while its model is running', () => {
  let folder: string;
  beforeAll(async () => {
    // Inside the checkout, because the bundles resolve their packages and the model from there.
    await mkdir(path.join(packageRoot, '.cache'), { recursive: true });
    folder = await mkdtemp(path.join(packageRoot, '.cache', 'test-exit-'));
    const main = path.join(folder, 'main.ts');
    await writeFile(main, program);
    await build({
      entryPoints: { main, 'onnx-worker': path.join(packageRoot, 'src/adapters/onnx/worker.ts') },
      outdir: folder,
      bundle: true,
      packages: 'external',
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    });
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it.each([0, 30, 300, 400, 500])('keeps its own exit code (after %i ms)', async (afterMs) => {
    const child = spawn(process.execPath, [path.join(folder, 'main.js'), String(afterMs)], {
      stdio: 'ignore',
    });
    expect(await once(child, 'exit')).toEqual([7, null]);
  });
});
