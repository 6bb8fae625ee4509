import { Server } from '@grpc/grpc-js';
import http from 'node:http';
import net, { type AddressInfo, type Socket } from 'node:net';
import { once } from 'node:events';
import { controlRequest } from './control.ts';
import { Database } from './database.ts';
import { Faults } from './faults.ts';
import { credentialsOf, onlyWith, type SecureOptions } from './secure.ts';
import { memberServices } from './member-services.ts';
import { streamsService } from './streams-service.ts';
import { streamsService as streamsStub } from './stub-services.ts';

export interface DoubleOptions {
  /** File of the events; created if it is missing. */
  readonly file: string;
  /** 0, the default, means a free port. */
  readonly port?: number;
  /** Maximum size of one append, like the server's `--max-append-size`; 1 MiB by default. */
  readonly maxAppendBytes?: number;
  /** Requires TLS with this key and certificate, and these credentials. */
  readonly secure?: SecureOptions;
  /** How many event ids are remembered for `any` and `stream_exists`; 10,000 by default. */
  readonly rememberedIds?: number;
}

/** Larger messages are refused before they are read, as by the real server. */
const maxMessageBytes = 16 * 1024 * 1024;
const http2Preface = 'PRI ';
const tlsHandshake = '\x16';

/** A server that implements the event store's protocol. Its health check and its control use the same port. */
export class KurrentDouble {
  readonly faults = new Faults();
  readonly #database: Database;
  readonly #grpc: Server;
  readonly #http: http.Server;
  readonly #listener: net.Server;
  readonly #sockets = new Map<string, Socket>();
  #port: number;

  private constructor(database: Database, { port = 0, maxAppendBytes = 1024 * 1024, secure }: DoubleOptions) {
    this.#database = database;
    this.#port = port;
    this.#grpc = new Server({
      'grpc.max_receive_message_length': maxMessageBytes,
      ...(secure && { interceptors: [onlyWith(secure)] }),
    });
    const service = {
      database,
      faults: this.faults,
      maxAppendBytes,
      cut: (peer: string) => void this.#sockets.get(peer)?.destroy(),
    };
    this.#grpc.addService(streamsStub, streamsService(service));
    for (const [stub, implementation] of memberServices(() => this.#port))
      this.#grpc.addService(stub, implementation);
    const injector = this.#grpc.createConnectionInjector(credentialsOf(secure));
    this.#http = http.createServer((request, response) => void controlRequest(this, request, response));
    this.#listener = net.createServer((socket) => this.#accept(socket, injector));
  }

  static async start(options: DoubleOptions): Promise<KurrentDouble> {
    const database = await Database.open(options.file, options.rememberedIds ?? 10_000);
    const double = new KurrentDouble(database, options);
    await double.#listen();
    return double;
  }

  get port(): number {
    return this.#port;
  }

  /** The connection string for the client. */
  get connectionString(): string {
    return `esdb://127.0.0.1:${this.#port}?tls=false`;
  }

  /** Closes all connections and accepts none until `comeBack`. */
  async goAway(): Promise<void> {
    const closed = once(this.#listener, 'close');
    this.#listener.close();
    for (const socket of this.#sockets.values()) socket.destroy();
    await closed;
  }

  async comeBack(): Promise<void> {
    await this.#listen();
  }

  async close(): Promise<void> {
    this.faults.thaw();
    if (this.#listener.listening) await this.goAway();
    this.#grpc.forceShutdown();
    await this.#database.close();
  }

  async #listen(): Promise<void> {
    this.#listener.listen(this.#port, '127.0.0.1');
    await once(this.#listener, 'listening');
    this.#port = (this.#listener.address() as AddressInfo).port;
  }

  /** HTTP/1.1 and gRPC share the port, as they do on the real server. */
  #accept(socket: Socket, injector: ReturnType<Server['createConnectionInjector']>): void {
    const peer = `${socket.remoteAddress}:${socket.remotePort}`;
    this.#sockets.set(peer, socket);
    socket.once('close', () => this.#sockets.delete(peer));
    socket.on('error', () => socket.destroy());
    socket.setNoDelay(true);
    socket.once('readable', () => {
      const start = socket.read() as Buffer | null;
      if (start === null) return;
      socket.unshift(start);
      const opening = start.toString('latin1');
      if (opening.startsWith(http2Preface) || opening.startsWith(tlsHandshake))
        injector.injectConnection(socket);
      else this.#http.emit('connection', socket);
    });
  }
}

/** Starts a double for a test. */
export function startKurrentDouble(options: DoubleOptions): Promise<KurrentDouble> {
  return KurrentDouble.start(options);
}
