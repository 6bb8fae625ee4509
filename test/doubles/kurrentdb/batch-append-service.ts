import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { Message } from 'google-protobuf';
import anyMessage from 'google-protobuf/google/protobuf/any_pb.js';
import emptyMessage from 'google-protobuf/google/protobuf/empty_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected } from './append-decision.ts';
import { appendBytes, expectedOf, proposedEvent } from './append-request.ts';
import type { AppendOutcome, ProposedEvent } from './database.ts';
import { idOf, streamIdentifier, streamName } from './messages.ts';
import type { Service } from './service.ts';
import { rpcStatus, shared, streams } from './stubs.ts';

interface Batch {
  readonly stream: string;
  readonly expected: Expected;
  readonly events: (ProposedEvent | undefined)[];
}

type Call = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** Many appends over one call, identified by correlation ids. Each append may consist of several messages. */
export function batchAppend(service: Service, call: Call): void {
  const open = new Map<string, Batch>();
  const abort = new AbortController();
  call.once('cancelled', () => abort.abort());
  call.on('data', (message: BatchAppendReq) => {
    const correlation = idOf(message.getCorrelationId())!;
    const options = message.getOptions();
    if (options) {
      const stream = streamName(options.getStreamIdentifier());
      const expected = expectedOf(options, () => options.getStreamPosition());
      open.set(correlation, { stream, expected, events: [] });
    }
    const batch = open.get(correlation)!;
    for (const event of message.getProposedMessagesList()) batch.events.push(proposedEvent(event));
    if (!message.getIsFinal()) return;
    open.delete(correlation);
    void answer(service, call, message, batch, abort.signal);
  });
  call.on('end', () => call.end());
}

async function answer(
  service: Service,
  call: Call,
  message: BatchAppendReq,
  { stream, expected, events }: Batch,
  signal: AbortSignal,
): Promise<void> {
  // Without a fault nothing is awaited before the decision, so appends are decided in the order of arrival.
  if (service.faults.frozen) await service.faults.whileFrozen(signal);
  if (signal.aborted) return;
  const response = new streams.BatchAppendResp()
    .setCorrelationId(message.getCorrelationId())
    .setStreamIdentifier(streamIdentifier(stream));
  if (!events.every((event): event is ProposedEvent => event !== undefined)) {
    call.write(response.setError(failure('Unknown', new shared.Unknown())));
    return;
  }
  if (appendBytes(events) > service.maxAppendBytes) {
    const details = new shared.MaximumAppendSizeExceeded().setMaxappendsize(service.maxAppendBytes);
    call.write(response.setError(failure('MaximumAppendSizeExceeded', details)));
    return;
  }
  const outcome = await service.database.append(stream, expected, events);
  const loss = service.faults.takeLoss();
  if (loss === 'cut') service.cut(call.getPeer());
  if (loss === undefined && !signal.aborted) call.write(withOutcome(response, outcome, stream, expected));
}

function withOutcome(
  response: BatchAppendResp,
  outcome: AppendOutcome,
  stream: string,
  expected: Expected,
): BatchAppendResp {
  if (outcome.kind === 'deleted') {
    const details = new shared.StreamDeleted().setStreamIdentifier(streamIdentifier(stream));
    return response.setError(failure('StreamDeleted', details));
  }
  if (outcome.kind === 'wrong-revision')
    return response.setError(failure('WrongExpectedVersion', wrongVersion(expected, outcome.actual)));
  const { revision, position } = outcome;
  const success = new streams.BatchAppendResp.Success();
  if (revision === undefined) success.setNoStream(new emptyMessage.Empty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) success.setNoPosition(new emptyMessage.Empty());
  else {
    const place = new shared.AllStreamPosition()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position));
    success.setPosition(place);
  }
  return response.setSuccess(success);
}

function wrongVersion(expected: Expected, actual: bigint): Message {
  const wrong = new shared.WrongExpectedVersion();
  if (actual < 0n) wrong.setCurrentNoStream(new emptyMessage.Empty());
  else wrong.setCurrentStreamRevision(String(actual));
  if (expected === 'any') wrong.setExpectedAny(new emptyMessage.Empty());
  else if (expected === 'no_stream') wrong.setExpectedNoStream(new emptyMessage.Empty());
  else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new emptyMessage.Empty());
  else wrong.setExpectedStreamPosition(String(expected));
  return wrong;
}

function failure(name: string, details: Message): InstanceType<typeof rpcStatus.Status> {
  const any = new anyMessage.Any();
  any.pack(details.serializeBinary(), `event_store.client.${name}`);
  return new rpcStatus.Status().setMessage(name).setDetails(any);
}
