import type { Logger } from 'pino';
import { socketIn } from '../../adapters/folder-socket.ts';
import { makeFolder } from '../../adapters/make-folder.ts';
import { DataDirectoryLocked } from '../../adapters/pglite/errors.ts';
import { isLocked } from '../../adapters/pglite/lock.ts';
import type { App } from '../../app.ts';
import type { Config } from '../../config.ts';
import { pause } from '../../support/pause.ts';
import { post, TargetGone, type Post } from './json-rpc.ts';

/** How long a request waits until somebody serves the folder: a holder that starts, or one that has just ended. */
const patienceMs = 30_000;
const retryMs = 100;

/**
 * A data folder that several processes use. One of them holds it and answers on the socket in it, to itself too; when it
 * ends, the first that notices becomes the holder.
 */
export class SharedFolder {
  readonly #config: Config;
  readonly #logger: Logger;
  #app: App | undefined;
  #opening: Promise<void> | undefined;
  #isClosing = false;

  private constructor(config: Config, logger: Logger) {
    this.#config = config;
    this.#logger = logger;
  }

  static async of(config: Config, logger: Logger): Promise<SharedFolder> {
    await makeFolder(config.dataDir);
    return new SharedFolder(config, logger);
  }

  /** Opens the folder unless another process has it open. Rejects if it cannot be opened. */
  open(): Promise<void> {
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  /** Sends a request to the holder. It is sent again if the holder ends before it has answered. */
  async send(request: Post): ReturnType<typeof post> {
    const end = performance.now() + patienceMs;
    for (;;) {
      try {
        return await this.#post(request);
      } catch (error) {
        if (!(error instanceof TargetGone) || this.#isClosing || performance.now() > end) throw error;
      }
      await this.open();
      if (!this.#app) await pause(retryMs, request.signal);
    }
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#opening?.catch(() => undefined);
    await this.#app?.stop();
  }

  /** Makes the path of the socket for each request: a short path is a link in a temporary folder, which the system may clean up. */
  async #post(request: Post): ReturnType<typeof post> {
    const { file, dispose } = await socketIn(this.#config.dataDir);
    try {
      return await post({ socketFile: file }, request);
    } finally {
      await dispose();
    }
  }

  async #open(): Promise<void> {
    if (this.#app || this.#isClosing) return;
    // Checked first, because it is cheap: a waiting process takes no time from the one that starts, and does not load the server.
    if (await isLocked(this.#config.dataDir)) return;
    const { startApp } = await import('../../app.ts');
    try {
      this.#app = await startApp(this.#config, this.#logger, { listens: false });
      this.#logger.info({ data: this.#config.dataDir }, 'this process has the data folder open');
    } catch (error) {
      if (!(error instanceof DataDirectoryLocked)) throw error;
      // Another one was faster.
    }
  }
}
