import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';

/** When a connection is cut: with the request on its way, or when its answer is about to come back. */
export type CutAt = 'request' | 'answer';

interface Cut {
  readonly marker: string;
  readonly at: CutAt;
  left: number;
}

/** A TCP proxy that loses replies: it passes everything on, until a request holds a marker, or runs a prepared statement that does. */
export class CuttingProxy {
  readonly #server: net.Server;
  readonly #sockets = new Set<Socket>();
  readonly #clients = new Set<Socket>();
  #isHeld = false;
  #cut: Cut | undefined;
  /** How many connections it has cut. */
  cuts = 0;

  private constructor(server: net.Server) {
    this.#server = server;
  }

  /** Listens on `port`, a free one by default. */
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

  /** Cuts the next `times` connections on which `marker` is sent; the request itself always reaches the server. */
  cutAfter(marker: string, at: CutAt, times = 1): void {
    this.#cut = { marker, at, left: times };
  }

  /** Passes everything on again. */
  heal(): void {
    this.#cut = undefined;
  }

  /** Keeps what is sent, as a network that says nothing, … */
  hold(): void {
    this.#isHeld = true;
    for (const client of this.#clients) client.pause();
  }

  /** … and passes it on. */
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
      // The server gets the whole request before it learns that nobody is left to answer.
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

/** The bytes as text, and behind them the prepared statements of this connection that they bind: PostgreSQL hears of those by name alone. */
function said(bytes: Buffer, prepared: Map<string, string>): string {
  const text = bytes.toString('latin1');
  for (const [, name, statement] of text.matchAll(/P.{4}([^\0]{1,63})\0([^\0]+)\0/gs))
    prepared.set(name!, statement!);
  const bound = [...text.matchAll(/B.{4}\0([^\0]{1,63})\0/gs)].map(([, name]) => prepared.get(name!) ?? '');
  return [text, ...bound].join('\n');
}
