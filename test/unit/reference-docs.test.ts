import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { referencePages } from '../../docs/generate.ts';

it('the reference pages match the code (npm run docs)', async () => {
  for (const [file, text] of await referencePages()) expect(await readFile(file, 'utf8'), file).toBe(text);
});
