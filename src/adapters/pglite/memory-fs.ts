import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { MemoryFS, PGlite } from '@electric-sql/pglite';

type InitResult = Awaited<ReturnType<MemoryFS['init']>>;
type Files = NonNullable<PGlite['Module']>['FS'];

/** A file system in memory, initialised with a copy of a folder. */
export class SeededMemoryFS extends MemoryFS {
  readonly #seed: string;

  constructor(seed: string) {
    super();
    this.#seed = seed;
  }

  override async init(pg: PGlite, options: InitResult['emscriptenOpts']): Promise<InitResult> {
    const result = await super.init(pg, options);
    const { emscriptenOpts } = result;
    const load = (module: { FS: Files }): void => copyInto(module.FS, this.#seed, PGlite.paths.PGDATA);
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...(emscriptenOpts.preRun ?? []), load] } };
  }
}

function copyInto(files: Files, from: string, to: string): void {
  files.mkdirTree(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const target = `${to}/${entry.name}`;
    if (entry.isDirectory()) copyInto(files, path.join(from, entry.name), target);
    else files.writeFile(target, readFileSync(path.join(from, entry.name)));
  }
}
