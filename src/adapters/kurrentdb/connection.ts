import { EventStoreDBClient } from '@eventstore/db-client';
import featuresServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import shared from '@eventstore/db-client/generated/shared_pb.js';
import streamsServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { AppendResp, ReadReq, ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { CallOptions, ClientReadableStream, Metadata } from '@grpc/grpc-js';
import { LogUnavailable, type StoredEvent } from '../../ports/event-log.ts';
import { appendError, isUnknownCall, readError, unavailable } from './errors.ts';
import { appendRequests } from './requests.ts';

const { StreamsClient } = streamsServices;
const { ServerFeaturesClient } = featuresServices;
type Streams = InstanceType<typeof StreamsClient>;

/**
 * What the client has for its own calls: TLS, credentials, finding the leader, a new channel when one has failed.
 * Its public calls do not do here. They parse every JSON and so do not keep its bytes, share all appends under way in a
 * map of the whole process that any client's error empties, and read without a deadline. The version is pinned.
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

/** The calls to one server or cluster. All reject with `LogUnavailable` where it does not answer within the deadline. */
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

  /** All answers to a bounded read. The deadline is for each answer. Rejects with `ServerRefusal` where the place is none. */
  async read(request: ReadReq): Promise<ReadResp[]> {
    const { streams, call } = await this.#startReading(request);
    try {
      return await collect(call, this.#deadlineMs);
    } catch (error) {
      void this.#client.handleError(streams, error as Error);
      throw readError(error);
    }
  }

  /** The answers to a subscription, for the caller to read and to cancel. They may end with an error for `readError`. */
  async subscribe(request: ReadReq): Promise<ClientReadableStream<ReadResp>> {
    const { streams, call } = await this.#startReading(request);
    call.on('error', (error) => void this.#client.handleError(streams, error));
    return call;
  }

  /** What the server calls its version, such as `24.2.0`; `unknown` where it does not tell. */
  async serverVersion(): Promise<string> {
    await this.#connect();
    const [metadata, options] = this.#client.callArguments({
      deadline: this.#deadlineMs,
      requiresLeader: false,
    });
    const asking = this.#client.execute(
      ServerFeaturesClient,
      'features',
      (features) =>
        new Promise<string>((resolve, reject) => {
          features.getSupportedMethods(new shared.Empty(), metadata, options, (error, reply) =>
            error ? reject(error) : resolve(reply.getEventStoreServerVersion()),
          );
        }),
    );
    return asking.catch((error: unknown) => {
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

  /** A cluster's leader may have to be found first, at several members, each with a time-out of its own. */
  async #connect(): Promise<Streams> {
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no connection within the deadline')), this.#deadlineMs);
    });
    const connecting = this.#client.execute(StreamsClient, 'streams', (streams) => Promise.resolve(streams));
    try {
      return await Promise.race([connecting, silence]);
    } catch (error) {
      throw unavailable(error);
    } finally {
      clearTimeout(timer);
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
