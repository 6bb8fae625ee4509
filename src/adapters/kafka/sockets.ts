import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import type { ISocketFactory } from 'kafkajs';

const keepAliveMs = 60_000;

/**
 * The connections of one client. kafkajs retries for minutes, and its `disconnect` waits for answers. `cut` ends a client that is no
 * longer needed: it can neither read nor write nor connect again.
 */
export class Sockets {
  readonly #open = new Set<Socket>();
  #cut = false;

  readonly open: ISocketFactory = ({ host, port, ssl, onConnect }) => {
    if (this.#cut) throw new Error('this client was closed');
    const name = net.isIP(host) ? {} : { servername: host };
    const socket = ssl
      ? tls.connect({ host, port, ...name, ...ssl }, onConnect)
      : net.connect({ host, port }, onConnect);
    socket.setKeepAlive(true, keepAliveMs);
    socket.setNoDelay(true);
    this.#open.add(socket);
    socket.once('close', () => this.#open.delete(socket));
    return socket;
  };

  cut(): void {
    this.#cut = true;
    // kafkajs notices a destroyed socket only by its error.
    for (const socket of this.#open) socket.destroy(new Error('this client was closed'));
  }
}
