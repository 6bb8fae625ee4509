import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fetchOpenSearch } from '../../stack/opensearch-jars.mjs';
import { findOpenSearchJava } from '../../stack/opensearch-node.mjs';

describe('[G7] the OpenSearch of `npm run stack`', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'stratalog-stack-'));
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  });

  async function program(file: string, script: string): Promise<void> {
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
  }

  it.each([
    ['17.0.15', true],
    ['21', true],
    ['23.0.2', true],
    ['16.0.2', false],
    ['1.8.0_402', false],
    ['24', false],
    ['25-ea', false],
  ])('with Java %s starts: %j', async (version, fits) => {
    await program(path.join(folder, 'bin', 'java'), `echo 'openjdk version "${version}" 2025-04-15' >&2`);
    vi.stubEnv('JAVA_HOME', folder);
    if (fits) expect(await findOpenSearchJava()).toMatchObject({ version });
    else
      await expect(findOpenSearchJava()).rejects.toThrow(
        `OpenSearch needs Java 17 to 23, and that of JAVA_HOME=${folder} is ${version}.`,
      );
  });

  it('without Java reports the required version', async () => {
    vi.stubEnv('JAVA_HOME', undefined);
    vi.stubEnv('PATH', folder);
    await expect(findOpenSearchJava()).rejects.toThrow(/needs Java 17 to 23, and in the PATH there is none/);
  });

  it('without Maven reports that it is required', async () => {
    vi.stubEnv('PATH', folder);
    await expect(fetchOpenSearch(folder, () => {})).rejects.toThrow(/Maven \(mvn\), which is not installed/);
  });

  it('uses no jar that differs from the pinned one', async () => {
    const pinned = (await readFile('stack/opensearch-jars.txt', 'utf8')).match(/\S+:\S+:\S+$/gm)!;
    const names = pinned.map((name) => `${name.split(':').slice(1).join('-')}.jar`);
    expect(names).toContain('opensearch-2.19.6.jar');
    // A fake Maven that delivers all jars with other contents.
    const bring = `for word in "$@"; do case $word in -DoutputDirectory=*) out=\${word#*=};; esac; done
for name in ${names.join(' ')}; do echo other > "$out/$name"; done`;
    await program(path.join(folder, 'bin', 'mvn'), `[ "$1" = --version ] && exit 0\n${bring}`);
    vi.stubEnv('PATH', `${path.join(folder, 'bin')}:${process.env['PATH']}`);
    await expect(fetchOpenSearch(folder, () => {})).rejects.toThrow(/\.jar is not the pinned file/);
    expect(existsSync(path.join(folder, 'home'))).toBe(false);
  });
});
