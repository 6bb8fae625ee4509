// Fetches the jars that opensearch-jars.txt pins and arranges them in the layout that the node expects.
import { createHash } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { fetchJars } from './maven-jars.mjs';

const list = readFileSync(fileURLToPath(new URL('opensearch-jars.txt', import.meta.url)), 'utf8');
const otherwise = 'Or run an OpenSearch 2.19 of your own (docker compose up opensearch).';

/** Files that the published jars of a module lack: its descriptor, and its permissions under the node's security manager. */
const modules = {
  'transport-netty4': {
    classname: 'org.opensearch.transport.Netty4Plugin',
    policy: [
      'java.net.SocketPermission "*", "accept,connect"',
      'java.io.FilePermission "/proc/sys/net/core/somaxconn", "read"',
      'java.lang.RuntimePermission "setContextClassLoader"',
      'java.lang.RuntimePermission "getClassLoader"',
      'java.util.PropertyPermission "sun.nio.ch.bugLevel", "write"',
    ],
  },
  'lang-painless': {
    classname: 'org.opensearch.painless.PainlessPlugin',
    policy: [
      'java.lang.RuntimePermission "createClassLoader"',
      'java.lang.RuntimePermission "getClassLoader"',
    ],
  },
  'analysis-common': {
    classname: 'org.opensearch.analysis.common.CommonAnalysisPlugin',
    extended: 'lang-painless',
    policy: [],
  },
};

/** Returns the node's home folder and assembles it unless it already contains exactly these jars. */
export async function fetchOpenSearch(folder, say) {
  const home = path.join(folder, 'home');
  const stamp = createHash('sha256').update(list).update(JSON.stringify(modules)).digest('hex');
  const complete = path.join(home, 'complete');
  if (existsSync(complete) && readFileSync(complete, 'utf8') === stamp) return home;
  const jars = pinned();
  const pins = Object.fromEntries(jars.map(({ coordinates, sha256 }) => [coordinates, sha256]));
  const files = await fetchJars(pins, folder, say, otherwise);
  const partial = path.join(folder, 'home.new');
  rmSync(partial, { recursive: true, force: true });
  for (const [index, jar] of jars.entries()) place(files[index], path.join(partial, jar.folder));
  for (const [name, module] of Object.entries(modules)) describe(name, module, versionOf(jars), partial);
  // The node would create them, but may not write here.
  for (const empty of ['plugins', 'bin']) mkdirSync(path.join(partial, empty));
  writeFileSync(path.join(partial, 'complete'), stamp);
  rmSync(home, { recursive: true, force: true });
  renameSync(partial, home);
  return home;
}

function pinned() {
  const lines = list.split('\n').filter((line) => line && !line.startsWith('#'));
  return lines.map((line) => {
    const [sha256, folder, coordinates] = line.split(/\s+/);
    const [, artifact, version] = coordinates.split(':');
    return { sha256, folder, coordinates, artifact, version };
  });
}

function versionOf(jars) {
  return jars.find(({ artifact }) => artifact === 'opensearch').version;
}

function place(jar, folder) {
  mkdirSync(folder, { recursive: true });
  linkSync(jar, path.join(folder, path.basename(jar)));
}

function describe(name, { classname, extended = '', policy }, version, home) {
  const folder = path.join(home, 'modules', name);
  const descriptor = {
    name,
    description: name,
    version,
    'opensearch.version': version,
    'java.version': '11',
    classname,
    'extended.plugins': extended,
    'has.native.controller': 'false',
  };
  const lines = Object.entries(descriptor).map(([key, value]) => `${key}=${value}\n`);
  writeFileSync(path.join(folder, 'plugin-descriptor.properties'), lines.join(''));
  if (policy.length === 0) return;
  const grants = policy.map((permission) => `  permission ${permission};\n`);
  writeFileSync(path.join(folder, 'plugin-security.policy'), `grant {\n${grants.join('')}};\n`);
}
