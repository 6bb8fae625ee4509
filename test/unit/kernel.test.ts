import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { kernelFile, kernelModule } from '../../kernel/generate.ts';

it('the kernel matches its source (npm run kernel)', async () => {
  expect(await readFile(kernelFile, 'utf8')).toBe(await kernelModule());
});
