import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP proxy to one server that can cut connections and slow them down. */
export class Network {
  readonly #listener: net.Server;
  readonly #sockets = new Set<Socket>();
  #target = 0;
  #isCut = false;
  #delayMs = 0;

  private constructor(listener: net.Server) {
    this.#listener = listener;
  }

  /** Listens on a free port. Set its target with `leadTo`. */
  static async open(): Promise<Network> {
    const listener = net.createServer();
    const network = new Network(listener);
    listener.on('connection', (client) => network.#join(client));
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return network;
  }

  get port(): number {
    return (this.#listener.address() as AddressInfo).port;
  }

  leadTo(port: number): void {
    this.#target = port;
  }

  /** Resets all connections, including new ones, until `heal`. */
  cut(): void {
    this.#isCut = true;
    this.#reset();
  }

  /** Delays each chunk of data by `delayMs` in both directions. */
  slowDown(delayMs: number): void {
    this.#delayMs = delayMs;
  }

  heal(): void {
    this.#isCut = false;
    this.#delayMs = 0;
  }

  async close(): Promise<void> {
    this.#reset();
    this.#listener.close();
    await once(this.#listener, 'close');
  }

  #reset(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  #join(client: Socket): void {
    if (this.#isCut) return void client.resetAndDestroy();
    const server = net.connect(this.#target, '127.0.0.1');
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      // An error on one side closes the connection on the other.
      socket.on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    void this.#carry(client, server);
    void this.#carry(server, client);
  }

  async #carry(from: Socket, to: Socket): Promise<void> {
    try {
      for await (const bytes of from) {
        if (this.#delayMs > 0) await sleep(this.#delayMs);
        if (!to.write(bytes)) await once(to, 'drain');
      }
      to.end();
    } catch {
      to.destroy();
    }
  }
}
