// Fetches PostgreSQL from Debian packages and unpacks it below one folder, without root and without installing anything.
// The packages need a newer C library than most machines have, so it is fetched too and each program is started with it.
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  closeSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { failure } from './failure.mjs';

const run = promisify(execFile);

/** The first Debian release with all three packages; `STACK_DEBIAN_SUITE` overrides it. */
const suite = process.env['STACK_DEBIAN_SUITE'] ?? 'forky';
const wanted = ['postgresql-18', 'postgresql-18-pgvector', 'postgresql-18-pg-textsearch'];
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
const binFolder = 'usr/lib/postgresql/18/bin';
const otherwise = `Run a PostgreSQL 18 with pgvector and pg_textsearch of your own and name it in
STRATALOG_POSTGRES_URL, or name the folder of its programs in STACK_POSTGRES_BIN.`;

/** The folder into which `fetchPostgres` puts `postgres` and `initdb`. */
export function postgresProgramsIn(folder) {
  return path.join(folder, 'root', binFolder);
}

/** Returns the folder of `postgres` and `initdb` and fetches them if they are missing. */
export async function fetchPostgres(folder, say) {
  const root = path.join(folder, 'root');
  if (existsSync(path.join(root, 'complete'))) return postgresProgramsIn(folder);
  await checkTools();
  say(`fetching PostgreSQL 18, pgvector and pg_textsearch from Debian ${suite}`);
  const partial = path.join(folder, 'root.new');
  rmSync(partial, { recursive: true, force: true });
  const debs = await download(path.join(folder, 'apt'));
  mkdirSync(partial, { recursive: true });
  for (const deb of debs) await run('dpkg-deb', ['-x', deb, partial]);
  for (const unused of ['doc', 'man', 'locale', 'lintian'])
    rmSync(path.join(partial, 'usr/share', unused), { recursive: true, force: true });
  rmSync(path.join(partial, 'usr/lib/postgresql/18/lib/bitcode'), { recursive: true, force: true });
  wrapPrograms(partial);
  writeFileSync(path.join(partial, 'complete'), debs.map((deb) => `${path.basename(deb)}\n`).join(''));
  rmSync(path.join(folder, 'apt'), { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
  renameSync(partial, root);
  return postgresProgramsIn(folder);
}

async function checkTools() {
  for (const tool of ['apt-get', 'dpkg-deb'])
    await run(tool, ['--version']).catch(() => {
      throw failure(`PostgreSQL is fetched with ${tool}, which is not installed. ${otherwise}`);
    });
  if (!existsSync(keyring))
    throw failure(`The keys of Debian are missing: there is no ${keyring}. ${otherwise}`);
}

/** Downloads the packages and the libraries that they need. Returns the paths of the files. */
async function download(folder) {
  rmSync(folder, { recursive: true, force: true });
  for (const name of ['lists/partial', 'cache/archives/partial', 'parts', 'debs'])
    mkdirSync(path.join(folder, name), { recursive: true });
  writeFileSync(path.join(folder, 'status'), '');
  writeFileSync(path.join(folder, 'sources.list'), `deb [signed-by=${keyring}] ${mirror()} ${suite} main\n`);
  const apt = aptIn(folder);
  await apt(['update']);
  const plan = await apt(['--yes', '--print-uris', 'install', ...wanted]);
  const names = [...plan.matchAll(/^'[^']*' ([^ _]+)_/gm)].map((match) => match[1]).filter(needed);
  const debs = path.join(folder, 'debs');
  await apt(['download', ...names], debs);
  return readdirSync(debs).map((name) => path.join(debs, name));
}

/** Whether a package of a full installation is needed: only the server, its client programs and the libraries are. */
function needed(name) {
  return (
    /^postgresql-(client-)?18/.test(name) || (name.startsWith('lib') && !/perl|semanage|sepol/.test(name))
  );
}

/** apt-get with its own lists, cache and empty package database, so it resolves dependencies as for a new system. */
function aptIn(folder) {
  const options = {
    'Dir::Etc::sourcelist': path.join(folder, 'sources.list'),
    'Dir::Etc::sourceparts': path.join(folder, 'parts'),
    'Dir::State::lists': path.join(folder, 'lists'),
    'Dir::State::status': path.join(folder, 'status'),
    'Dir::Cache': path.join(folder, 'cache'),
    'Dir::Log': folder,
    'Debug::NoLocking': '1',
    'Acquire::Languages': 'none',
    'APT::Install-Recommends': 'false',
    ...(process.getuid?.() === 0 && { 'APT::Sandbox::User': 'root' }),
  };
  const words = ['-qq', ...Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
  return async (args, cwd = folder) => {
    const env = { ...process.env, LC_ALL: 'C' };
    const { stdout } = await run('apt-get', [...words, ...args], { cwd, env, maxBuffer: 2 ** 26 }).catch(
      (error) => {
        throw failure(
          `apt-get ${args[0]} failed, so packages of Debian ${suite} cannot be downloaded:\n${error.stderr}\n${otherwise}`,
        );
      },
    );
    return stdout;
  };
}

/** The Debian mirror that this machine is configured to use, or Debian's own if there is none. */
function mirror() {
  const files = ['/etc/apt/sources.list.d/debian.sources', '/etc/apt/sources.list'].filter(existsSync);
  const uris = files.flatMap((file) => readFileSync(file, 'utf8').match(/^(?:URIs:|deb\s)[^#\n]*/gm) ?? []);
  return uris.join(' ').match(/https?:\/\/\S+\/debian\/?(?=\s|$)/)?.[0] ?? 'http://deb.debian.org/debian';
}

/** Replaces each program with a script that starts it with the loader and the libraries it was built for. */
function wrapPrograms(root) {
  const bin = path.join(root, binFolder);
  const libraries = readdirSync(path.join(root, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
  const loader = readdirSync(path.join(root, 'usr/lib', libraries)).find((name) =>
    /^ld-linux.*\.so\.\d$/.test(name),
  );
  for (const name of readdirSync(bin)) {
    const program = path.join(bin, name);
    if (!isElf(program)) continue;
    renameSync(program, `${program}.elf`);
    const lib = `$root/usr/lib/${libraries}`;
    const self = `$root/${binFolder}/${name}`;
    const start = `exec "${lib}/${loader}" --library-path "${lib}" --argv0 "${self}" "${self}.elf" "$@"`;
    writeFileSync(program, `#!/bin/sh\nroot=$(cd "$(dirname "$0")/../../../../.." && pwd)\n${start}\n`);
    chmodSync(program, 0o755);
  }
}

function isElf(file) {
  const head = Buffer.alloc(4);
  const descriptor = openSync(file, 'r');
  readSync(descriptor, head, 0, 4, 0);
  closeSync(descriptor);
  return head.equals(Buffer.from('\x7fELF', 'latin1'));
}
