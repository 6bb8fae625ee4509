import { EventStoreDBClient } from '@eventstore/db-client';
import featuresServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { LogUnavailable, type StoredEvent } from '../../ports/event-log.ts';
import { abandonAfter } from '../../support/resilience/time-limit.ts';
import { appendError, isUnknownCall, readError, unavailable } from './errors.ts';
import { appendRequests } from './requests.ts';

const { StreamsClient } = streamsServices;
const { ServerFeaturesClient } = featuresServices;
type Streams = InstanceType<typeof StreamsClient>;

/**
 * Internal methods of the client for TLS, credentials, leader discovery and replacing a failed channel. Its public calls do not
 * suit us: they parse all JSON, so its bytes are lost; they keep all pending appends in one map of the process, which any
 * client's error empties; and they read without a deadline. The client's version is pinned.
 */
interface ClientCalls {
  execute<Service extends typeof StreamsClient | typeof ServerFeaturesClient, Result>(
    service: Service,
    name: string,
    action: (calls: InstanceType<Service>) => Promise<Result>,
  ): Promise<Result>;
  callArguments(
    options: { readonly deadline?: number; readonly requiresLeader: boolean },
    callOptions?: CallOptions,
  ): [Metadata, CallOptions];
  handleError(streams: Streams, error: Error): Promise<void>;
  dispose(): Promise<void>;
}

export type AppendReply =
  { readonly kind: 'written'; readonly revision: string } | { readonly kind: 'wrong-revision' };

/** Calls to one server or cluster. All reject with `LogUnavailable` if it does not answer within the deadline. */
export class Connection {
  readonly #client: ClientCalls;
  readonly #deadlineMs: number;

  /** Throws an Error for a malformed connection string. Connects with the first call. */
  constructor(connectionString: string, deadlineMs: number) {
    this.#client = EventStoreDBClient.connectionString(connectionString) as unknown as ClientCalls;
    this.#deadlineMs = deadlineMs;
  }

  /** Appends at the exact revision, -1 for a stream without events. Rejects with a `RangeError` beyond the server's limit. */
  async append(stream: string, expected: number, events: readonly StoredEvent[]): Promise<AppendReply> {
    const requests = appendRequests(stream, expected, events);
    const streams = await this.#connect();
    const [metadata, options] = this.#client.callArguments({
      deadline: this.#deadlineMs,
      requiresLeader: true,
    });
    try {
      const response = await new Promise<AppendResp>((resolve, reject) => {
        const call = streams.append(metadata, options, (error, reply) =>
          error ? reject(error) : resolve(reply),
        );
        call.on('error', reject);
        for (const request of requests) call.write(request);
        call.end();
      });
      const success = response.getSuccess();
      return success
        ? { kind: 'written', revision: success.getCurrentRevision() }
        : { kind: 'wrong-revision' };
    } catch (error) {
      void this.#client.handleError(streams, error as Error);
      const bytes = requests.reduce((sum, request) => sum + request.serializeBinary().length, 0);
      throw appendError(error, bytes);
    }
  }

  /** All responses to a bounded read. The deadline applies to each response. Rejects with `ServerRefusal` if no record has the position. */
  async read(request: ReadReq): Promise<ReadResp[]> {
    const { streams, call } = await this.#startReading(request);
    try {
      return await collect(call, this.#deadlineMs);
    } catch (error) {
      void this.#client.handleError(streams, error as Error);
      throw readError(error);
    }
  }

  /** The responses to a subscription, for the caller to read and cancel. They may end with an error; convert it with `readError`. */
  async subscribe(request: ReadReq): Promise<ClientReadableStream<ReadResp>> {
    const { streams, call } = await this.#startReading(request);
    call.on('error', (error) => void this.#client.handleError(streams, error));
    return call;
  }

  /** The server's version, such as `24.2.0`; `unknown` if the server is too old to report it. */
  async serverVersion(): Promise<string> {
    await this.#connect();
    const [metadata, options] = this.#client.callArguments({
      deadline: this.#deadlineMs,
      requiresLeader: false,
    });
    const version = this.#client.execute(
      ServerFeaturesClient,
      'features',
      (features) =>
        new Promise<string>((resolve, reject) => {
          features.getSupportedMethods(new shared.Empty(), metadata, options, (error, reply) =>
            error ? reject(error) : resolve(reply.getEventStoreServerVersion()),
          );
        }),
    );
    return version.catch((error: unknown) => {
      if (isUnknownCall(error)) return 'unknown';
      throw readError(error);
    });
  }

  async close(): Promise<void> {
    await this.#client.dispose();
    const streams = await this.#connect().catch(() => undefined);
    streams?.close();
  }

  async #startReading(request: ReadReq) {
    const streams = await this.#connect();
    const [metadata, options] = this.#client.callArguments({ requiresLeader: true }, { deadline: Infinity });
    return { streams, call: streams.read(request, metadata, options) };
  }

  /** Limited in time as a whole, because finding a cluster's leader may take a time-out for each member. */
  async #connect(): Promise<Streams> {
    try {
      return await abandonAfter(
        this.#deadlineMs,
        () => this.#client.execute(StreamsClient, 'streams', (streams) => Promise.resolve(streams)),
        () => new Error('no connection within the deadline'),
      );
    } catch (error) {
      throw unavailable(error);
    }
  }
}

function collect(call: ClientReadableStream<ReadResp>, silenceMs: number): Promise<ReadResp[]> {
  return new Promise((resolve, reject) => {
    const responses: ReadResp[] = [];
    const timer = setTimeout(() => {
      reject(new LogUnavailable(`the event store has sent nothing for ${silenceMs} ms`));
      call.cancel();
    }, silenceMs);
    call.on('data', (response: ReadResp) => {
      timer.refresh();
      responses.push(response);
    });
    call.on('end', () => {
      clearTimeout(timer);
      resolve(responses);
    });
    call.on('error', (error) => {
      clearTimeout(timer);
      reject(error);
    });
  });
}
