import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import path from 'node:path';

const folder = path.resolve('.cache/promtool');
const unpacked = path.join(folder, 'usr/bin/promtool');

/**
 * The path of Prometheus' promtool: `STRATALOG_TEST_PROMTOOL`, what is installed, or what Debian's package contains. The package is
 * unpacked and not installed, because it would start a server.
 */
function promtoolPath(): string {
  const given = process.env['STRATALOG_TEST_PROMTOOL'];
  if (given !== undefined) return given;
  if (spawnSync('promtool', ['--version']).status === 0) return 'promtool';
  if (existsSync(unpacked)) return unpacked;
  try {
    mkdirSync(folder, { recursive: true });
    if (process.getuid?.() === 0) execFileSync('apt-get', ['update', '-qq']);
    const words = ['-qq', '-o', 'APT::Sandbox::User=root', 'download', 'prometheus'];
    execFileSync('apt-get', words, { cwd: folder });
    const debs = readdirSync(folder).filter((name) => name.endsWith('.deb'));
    for (const deb of debs) execFileSync('dpkg-deb', ['-x', deb, '.'], { cwd: folder });
  } catch (cause) {
    throw new Error(
      'the tests of the alerting rules need promtool: install it (Debian: apt-get install prometheus), or name it in STRATALOG_TEST_PROMTOOL',
      { cause },
    );
  }
  return unpacked;
}

/** Runs promtool. Resolves with its exit code and all that it wrote. */
export function promtool(words: readonly string[], input = ''): Promise<{ code: number; output: string }> {
  return new Promise((resolve, reject) => {
    const child = execFile(promtoolPath(), words, (error, stdout, stderr) => {
      if (error && typeof error.code !== 'number') reject(error);
      else resolve({ code: Number(error?.code ?? 0), output: stdout + stderr });
    });
    child.stdin!.end(input);
  });
}
