import { constants } from 'node:fs';
import { access, cp, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const cache = path.resolve('.cache');
const prefix = 'test-data-';

/** Makes a data folder by a first start of the program in it, with these settings, and ends the program. */
export type MakeFolder = (folder: string, settings: Readonly<Record<string, string>>) => Promise<void>;

/** The settings that determine what a first start writes. With others, such as models of an endpoint, no template is used. */
const embedderSettings = /^STRATALOG_EMBED(DER|DING_(?!WORKERS))/;

const made = new Map<string, Promise<string>>();

/**
 * Fills a new data folder as a first start of the program would, with a copy of one that was made before. A first start takes .7 s of CPU time,
 * and a copy next to none. The copies have the same log id and vault key. Does nothing if the settings need a folder of their own.
 */
export async function fillDataFolder(
  folder: string,
  environment: Readonly<Record<string, string>>,
  make: MakeFolder,
): Promise<void> {
  const settings = Object.fromEntries(
    Object.entries(environment).filter(([name]) => embedderSettings.test(name)),
  );
  const name = templateName(settings);
  if (environment['STRATALOG_PROFILE'] !== 'embedded' || name === undefined) return;
  const template = made.get(name) ?? templateOf(name, settings, make);
  made.set(name, template);
  template.catch(() => made.delete(name));
  await cp(await template, folder, { recursive: true, mode: constants.COPYFILE_FICLONE });
}

function templateName(settings: Readonly<Record<string, string>>): string | undefined {
  const { STRATALOG_EMBEDDER: embedder, STRATALOG_EMBEDDING_MODEL: model, ...others } = settings;
  if (Object.keys(others).length > 0) return undefined;
  if (embedder === 'deterministic') return embedder;
  return embedder === undefined ? (model ?? 'default') : undefined;
}

/** Path of the template for the present sources; it is made if it is missing. */
async function templateOf(
  name: string,
  settings: Readonly<Record<string, string>>,
  make: MakeFolder,
): Promise<string> {
  const builder = (await import(pathToFileURL(path.resolve('bin/build.mjs')).href)) as {
    builtCheckout(): Promise<string>;
  };
  const build = path.basename(await builder.builtCheckout());
  const template = path.join(cache, `${prefix}${build}-${name}`);
  if (await exists(template)) return template;
  for (const old of await readdir(cache))
    if (old.startsWith(prefix) && !old.includes(build))
      await rm(path.join(cache, old), { recursive: true, force: true });
  const fresh = await mkdtemp(path.join(cache, `${prefix}${build}-new-`));
  await make(fresh, settings);
  // Its socket cannot be copied.
  await rm(path.join(fresh, 'lock'), { recursive: true, force: true });
  // Fails if another process was faster. Its folder is as good.
  await rename(fresh, template).catch(() => rm(fresh, { recursive: true, force: true }));
  return template;
}

const exists = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );
