// Fetches pinned jars from Maven Central with Maven into one folder. A jar is accepted only if its checksum matches the pinned
// one. No other files are left behind.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { failure } from './failure.mjs';

const run = promisify(execFile);
const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';

/**
 * Returns the jars of `pins` (`{'group:artifact:version': sha256}`) in `folder`/libs and fetches them if they are missing.
 * `otherwise` tells users without Maven what else they can do.
 */
export async function fetchJars(pins, folder, say, otherwise) {
  const libs = path.join(folder, 'libs');
  const complete = path.join(libs, 'complete');
  const wanted = JSON.stringify(pins);
  const files = Object.keys(pins).map((pin) => path.join(libs, fileOf(pin)));
  if (existsSync(complete) && readFileSync(complete, 'utf8') === wanted) return files;
  await run('mvn', ['--version']).catch(() => {
    throw failure(`The jars are fetched with Maven (mvn), which is not installed. ${otherwise}`);
  });
  say(`fetching ${files.length} jars from Maven Central`);
  const partial = path.join(folder, 'libs.new');
  rmSync(partial, { recursive: true, force: true });
  mkdirSync(path.join(partial, 'work'), { recursive: true });
  await copyJars(pins, partial, otherwise);
  for (const [pin, sum] of Object.entries(pins)) check(path.join(partial, fileOf(pin)), sum);
  rmSync(path.join(partial, 'work'), { recursive: true });
  writeFileSync(path.join(partial, 'complete'), wanted);
  rmSync(libs, { recursive: true, force: true });
  renameSync(partial, libs);
  return files;
}

/** Uses a temporary local repository, because neither the plugin nor a second copy of the jars is needed afterwards. */
async function copyJars(pins, folder, otherwise) {
  const pom = path.join(folder, 'work', 'pom.xml');
  writeFileSync(pom, projectOf(pins));
  const words = ['--batch-mode', '--quiet', '--no-transfer-progress', '--strict-checksums', '--file', pom];
  words.push(`-Dmaven.repo.local=${path.join(folder, 'work', 'repository')}`, `${plugin}:copy-dependencies`);
  words.push('-DexcludeTransitive=true', `-DoutputDirectory=${folder}`);
  await run('mvn', words, { maxBuffer: 2 ** 26 }).catch((error) => {
    throw failure(`Maven cannot have the jars here:\n${error.stdout}${error.stderr}\n${otherwise}`);
  });
}

function projectOf(pins) {
  const dependencies = Object.keys(pins).map((pin) => {
    const [group, artifact, version] = pin.split(':');
    return `    <dependency>
      <groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version>
      <exclusions><exclusion><groupId>*</groupId><artifactId>*</artifactId></exclusion></exclusions>
    </dependency>`;
  });
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>local.stack</groupId><artifactId>jars</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
${dependencies.join('\n')}
  </dependencies>
</project>
`;
}

function check(file, expected) {
  if (!existsSync(file)) throw failure(`Maven did not bring ${path.basename(file)}`);
  const found = createHash('sha256').update(readFileSync(file)).digest('hex');
  if (found !== expected)
    throw failure(`${path.basename(file)} is not the pinned file: its SHA-256 is ${found}, not ${expected}`);
}

function fileOf(pin) {
  const [, artifact, version] = pin.split(':');
  return `${artifact}-${version}.jar`;
}
