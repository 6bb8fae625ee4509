import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

/** When a connection is cut: after the request was sent, or before its answer is returned. */
export type CutAt = 'request' | 'answer';

interface Cut {
  readonly marker: string;
  readonly at: CutAt;
  left: number;
}

/** A TCP proxy that loses replies. It forwards everything until a request contains a marker, or runs a prepared statement that does. */
export class CuttingProxy {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #isHeld = false;
  #cut: Cut | undefined;
  /** Number of connections cut so far. */
  cuts = 0;

  private constructor(server: net.Server) {
    this.#server = server;
  }

  /** Listens on `port`, by default on a free one. */
  static async start(targetPort: number, port = 0): Promise<CuttingProxy> {
    const server = net.createServer();
    const proxy = new CuttingProxy(server);
    server.on('connection', (client) => proxy.#join(client, net.connect(targetPort, '127.0.0.1')));
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts the next `times` connections on which `marker` is sent. The request itself always reaches the server. */
  cutAfter(marker: string, at: CutAt, times = 1): void {
    this.#cut = { marker, at, left: times };
  }

  /** Stops cutting connections. */
  heal(): void {
    this.#cut = undefined;
  }

  /** Delays everything that clients send, like a network that drops packets, until `release`. */
  hold(): void {
    this.#isHeld = true;
    for (const client of this.#clients) client.pause();
  }

  /** Forwards what was delayed. */
  release(): void {
    this.#isHeld = false;
    for (const client of this.#clients) client.resume();
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #join(client: Socket, server: Socket): void {
    let cutAtAnswer = false;
    let cutAtRequest = false;
    const prepared = new Map<string, string>();
    const both = [client, server];
    const end = (): void => both.forEach((socket) => socket.destroy());
    for (const socket of both) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        if (!cutAtRequest) end();
      });
    }
    this.#clients.add(client);
    client.on('close', () => this.#clients.delete(client));
    client.on('data', (bytes) => {
      const cut = this.#take(said(bytes, prepared));
      cutAtAnswer ||= cut === 'answer';
      cutAtRequest ||= cut === 'request';
      if (!cutAtRequest) return void server.write(bytes);
      client.destroy();
      // The server receives the whole request before it notices that the connection is closed.
      server.end(bytes);
    });
    if (this.#isHeld) client.pause();
    server.on('data', (bytes) => {
      if (cutAtAnswer) end();
      else if (!cutAtRequest) client.write(bytes);
    });
  }

  #take(request: string): CutAt | undefined {
    const cut = this.#cut;
    if (!cut || cut.left === 0 || !request.includes(cut.marker)) return undefined;
    cut.left--;
    this.cuts++;
    return cut.at;
  }
}

/** The bytes as text, followed by the text of the prepared statements that they bind: the protocol sends only the names of those. */
function said(bytes: Buffer, prepared: Map<string, string>): string {
  const text = bytes.toString('latin1');
  for (const [, name, statement] of text.matchAll(/P.{4}([^\0]{1,63})\0([^\0]+)\0/gs))
    prepared.set(name!, statement!);
  const bound = [...text.matchAll(/B.{4}\0([^\0]{1,63})\0/gs)].map(([, name]) => prepared.get(name!) ?? '');
  return [text, ...bound].join('\n');
}
