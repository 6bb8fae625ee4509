import type { sendUnaryData, ServerUnaryCall, ServerWritableStream } from '@grpc/grpc-js';
import { once } from 'node:events';
import type { IStreamsServer } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type {
  DeleteReq,
  DeleteResp,
  ReadReq,
  ReadResp,
  TombstoneReq,
  TombstoneResp,
} from '@eventstore/db-client/generated/streams_pb.js';
import { append } from './append-service.ts';
import { expectedNumber, expectedOf } from './append-request.ts';
import { batchAppend } from './batch-append-service.ts';
import type { AppendOutcome } from './database.ts';
import { droppedForLagging, streamDeleted, wrongExpectedVersion } from './errors.ts';
import { streamName } from './messages.ts';
import { read } from './read.ts';
import { readRequest } from './read-request.ts';
import type { Service } from './service.ts';
import { streams } from './stubs.ts';
import { subscription } from './subscription.ts';

/** The calls of the Streams service. */
export function streamsService(service: Service): IStreamsServer {
  return {
    read: (call) => void respond(service, call),
    append: (call, reply) => void append(service, call, reply).catch((error: Error) => reply(error)),
    batchAppend: (call) => batchAppend(service, call),
    delete: (call, reply) => void remove(service, call, reply).catch((error: Error) => reply(error)),
    tombstone: (call, reply) => void tombstone(service, call, reply).catch((error: Error) => reply(error)),
  };
}

async function respond(service: Service, call: ServerWritableStream<ReadReq, ReadResp>): Promise<void> {
  const abort = new AbortController();
  const { signal } = abort;
  call.once('cancelled', () => abort.abort());
  call.once('close', () => abort.abort());
  call.on('error', () => abort.abort());
  try {
    const request = readRequest(call.request);
    await service.faults.whileFrozen(signal);
    if (request.limit !== undefined) {
      for (const response of read(service.database, request)) await send(service, call, response, signal);
    } else {
      service.faults.onDrop(() => {
        call.emit('error', droppedForLagging());
        abort.abort();
      }, signal);
      for await (const response of subscription(service.database, service.faults, request, signal))
        await send(service, call, response, signal);
    }
    if (!signal.aborted) call.end();
  } catch (error) {
    if (!signal.aborted) call.emit('error', error);
  }
}

/** Sends messages, waiting if the client is slow. */
async function send(
  { faults }: Service,
  call: ServerWritableStream<ReadReq, ReadResp>,
  response: ReadResp,
  signal: AbortSignal,
): Promise<void> {
  if (faults.frozen) await faults.whileFrozen(signal);
  if (signal.aborted || call.write(response)) return;
  await once(call, 'drain', { signal }).catch(() => undefined);
}

async function remove(
  { database, faults }: Service,
  call: ServerUnaryCall<DeleteReq, DeleteResp>,
  reply: sendUnaryData<DeleteResp>,
): Promise<void> {
  await faults.whileFrozen(new AbortController().signal);
  const options = call.request.getOptions()!;
  const stream = streamName(options.getStreamIdentifier());
  const expected = expectedOf(options, () => options.getRevision());
  const position = positionOf(await database.delete(stream, expected), stream, expectedNumber(expected));
  const place = new streams.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position);
  reply(null, new streams.DeleteResp().setPosition(place));
}

async function tombstone(
  { database, faults }: Service,
  call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
  reply: sendUnaryData<TombstoneResp>,
): Promise<void> {
  await faults.whileFrozen(new AbortController().signal);
  const options = call.request.getOptions()!;
  const stream = streamName(options.getStreamIdentifier());
  const expected = expectedOf(options, () => options.getRevision());
  const position = positionOf(await database.tombstone(stream, expected), stream, expectedNumber(expected));
  const place = new streams.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position);
  reply(null, new streams.TombstoneResp().setPosition(place));
}

/** Position of a deletion. Throws the error if it was refused. */
function positionOf(outcome: AppendOutcome, stream: string, expected: bigint): string {
  if (outcome.kind === 'deleted') throw streamDeleted(stream);
  if (outcome.kind === 'wrong-revision') throw wrongExpectedVersion(stream, expected, outcome.actual);
  return String(outcome.position);
}
