import { createHash } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findJava } from '../../stack/java.mjs';
import { fetchJars } from '../../stack/maven-jars.mjs';

const otherwise = 'Use docker.';
const pin = 'org.example:thing:1.2';
const sumOf = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('programs of the stack', () => {
  let home: string;
  let bin: string;

  beforeEach(async () => {
    home = await mkdtemp(path.join(tmpdir(), 'stratalog-stack-'));
    bin = path.join(home, 'bin');
    await mkdir(bin);
    vi.stubEnv('PATH', `${bin}:/usr/bin:/bin`);
    vi.stubEnv('JAVA_HOME', undefined);
  });

  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(home, { recursive: true, force: true });
  });

  async function program(name: string, script: string): Promise<void> {
    await writeFile(path.join(bin, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(bin, name), 0o755);
  }

  /** A fake Maven that delivers `content` for every jar and counts its calls. */
  const mavenOf = (content: string): Promise<void> =>
    program(
      'mvn',
      `[ "$1" = --version ] && exit 0
echo call >> ${home}/calls
for word in "$@"; do case $word in -DoutputDirectory=*) out=\${word#*=};; esac; done
printf '%s' '${content}' > "$out/thing-1.2.jar"`,
    );

  it('fetches a jar with the pinned checksum once, and leaves no other files behind', async () => {
    await mavenOf('the jar');
    const folder = path.join(home, 'server');
    const files = await fetchJars({ [pin]: sumOf('the jar') }, folder, () => {}, otherwise);
    expect(await fetchJars({ [pin]: sumOf('the jar') }, folder, () => {}, otherwise)).toEqual(files);
    expect(files).toEqual([path.join(folder, 'libs', 'thing-1.2.jar')]);
    expect((await readdir(folder, { recursive: true })).toSorted()).toEqual([
      'libs',
      'libs/complete',
      'libs/thing-1.2.jar',
    ]);
    expect(await readFile(path.join(home, 'calls'), 'utf8')).toBe('call\n');
  });

  it('refuses a jar with another checksum, and keeps the existing ones', async () => {
    const folder = path.join(home, 'server');
    await mavenOf('the jar');
    const [file] = await fetchJars({ [pin]: sumOf('the jar') }, folder, () => {}, otherwise);
    await mavenOf('another');
    const fetching = fetchJars({ [pin]: sumOf('a newer jar') }, folder, () => {}, otherwise);
    await expect(fetching).rejects.toThrow(/thing-1\.2\.jar is not the pinned file/);
    expect(await readFile(file!, 'utf8')).toBe('the jar');
  });

  it('explains what to do without Maven, and passes on the errors of Maven', async () => {
    vi.stubEnv('PATH', bin);
    const fetching = () => fetchJars({ [pin]: sumOf('x') }, path.join(home, 'server'), () => {}, otherwise);
    await expect(fetching()).rejects.toThrow(/Maven \(mvn\), which is not installed\. Use docker\./);
    await program('mvn', '[ "$1" = --version ] && exit 0\necho "no such host" >&2\nexit 1');
    await expect(fetching()).rejects.toThrow(/no such host\n\nUse docker\./);
  });

  it('finds a Java that is new enough, and explains what to do if it is too old or missing', async () => {
    vi.stubEnv('PATH', bin);
    const java = () => findJava('Kafka', { oldest: 17, otherwise });
    await expect(java()).rejects.toThrow(
      'Kafka needs Java 17 or later, and in the PATH there is none. Use docker.',
    );
    await program('java', `echo 'openjdk version "1.8.0_442"' >&2`);
    await expect(java()).rejects.toThrow(
      'Kafka needs Java 17 or later, and that of the PATH is 1.8.0_442. Use docker.',
    );
    await program('java', `echo 'openjdk version "21" 2023-09-19' >&2`);
    expect(await java()).toEqual({ program: 'java', version: '21' });
    vi.stubEnv('JAVA_HOME', home);
    expect(await java()).toMatchObject({ program: path.join(bin, 'java') });
  });
});
