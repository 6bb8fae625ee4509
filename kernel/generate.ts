// npm run kernel: assembles vectors.wat into a TypeScript module, so the program needs no assembler at run time.
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import wabt from 'wabt';

export const kernelFile = path.join('src', 'adapters', 'flat', 'kernel.ts');

/** Source text for `kernelFile`. */
export async function kernelModule(): Promise<string> {
  const name = 'vectors.wat';
  const source = await readFile(path.join('kernel', name), 'utf8');
  const assembler = await wabt();
  const { buffer } = assembler.parseWat(name, source, { simd: true }).toBinary({});
  return `// Assembled from kernel/${name} by npm run kernel.\n\n/** A WebAssembly module, in base64. */\nexport const kernel =\n  '${Buffer.from(buffer).toString('base64')}';\n`;
}

export async function main(): Promise<void> {
  await writeFile(kernelFile, await kernelModule());
}
