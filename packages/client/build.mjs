// Builds dist/: the client, then the adapters for frameworks, whose declarations need none of the frameworks.
// npm runs it (`prepare`) before it packs this folder or installs it elsewhere.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import path from 'node:path';

const folder = import.meta.dirname;
const checkout = path.resolve(folder, '../..');
const tsc = path.join(checkout, 'node_modules/typescript/bin/tsc');
if (!existsSync(tsc)) {
  process.stderr.write(
    `@stratalog/client is built with the TypeScript of its checkout: run \`npm ci\` in ${checkout} first.\n`,
  );
  process.exit(1);
}
rmSync(path.join(folder, 'dist'), { recursive: true, force: true });
for (const options of [['tsconfig.build.json'], ['frameworks/tsconfig.build.json', '--noCheck']]) {
  const { status } = spawnSync(process.execPath, [tsc, '-p', ...options], { cwd: folder, stdio: 'inherit' });
  if (status !== 0) process.exit(status ?? 1);
}
