import type { sendUnaryData, ServerReadableStream } from '@grpc/grpc-js';
import type { AppendReq, AppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import type { Expected } from './append-decision.ts';
import { appendBytes, expectedOf, proposedEvent } from './append-request.ts';
import type { AppendOutcome, ProposedEvent } from './database.ts';
import { appendTooLarge, streamDeleted, unknown } from './errors.ts';
import { streamName } from './messages.ts';
import type { Service } from './service.ts';
import { shared, streams } from './stubs.ts';

/** One append per call: its header, then its events. */
export async function append(
  service: Service,
  call: ServerReadableStream<AppendReq, AppendResp>,
  reply: sendUnaryData<AppendResp>,
): Promise<void> {
  const messages: AppendReq[] = [];
  for await (const message of call as AsyncIterable<AppendReq>) messages.push(message);
  const abort = new AbortController();
  call.once('cancelled', () => abort.abort());
  await service.faults.whileFrozen(abort.signal);
  if (abort.signal.aborted) return;

  const options = messages[0]!.getOptions()!;
  const stream = streamName(options.getStreamIdentifier());
  const expected = expectedOf(options, () => options.getRevision());
  const events = messages.slice(1).map((message) => proposedEvent(message.getProposedMessage()!));
  if (!events.every((event): event is ProposedEvent => event !== undefined)) {
    reply(unknown('an event id is no UUID'));
    return;
  }
  if (appendBytes(events) > service.maxAppendBytes) {
    reply(appendTooLarge(service.maxAppendBytes));
    return;
  }
  const outcome = await service.database.append(stream, expected, events);
  const loss = service.faults.takeLoss();
  if (loss === 'cut') service.cut(call.getPeer());
  if (loss !== undefined) return;
  if (outcome.kind === 'deleted') reply(streamDeleted(stream));
  else reply(null, response(outcome, expected));
}

function response(outcome: Exclude<AppendOutcome, { kind: 'deleted' }>, expected: Expected): AppendResp {
  const message = new streams.AppendResp();
  if (outcome.kind === 'wrong-revision') {
    const wrong = new streams.AppendResp.WrongExpectedVersion();
    if (outcome.actual < 0n) wrong.setCurrentNoStream(new shared.Empty());
    else wrong.setCurrentRevision(String(outcome.actual));
    if (expected === 'any') wrong.setExpectedAny(new shared.Empty());
    else if (expected === 'no_stream') wrong.setExpectedNoStream(new shared.Empty());
    else if (expected === 'stream_exists') wrong.setExpectedStreamExists(new shared.Empty());
    else wrong.setExpectedRevision(String(expected));
    return message.setWrongExpectedVersion(wrong);
  }
  const { revision, position } = outcome;
  const success = new streams.AppendResp.Success();
  if (revision === undefined) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(revision));
  if (position === undefined) success.setNoPosition(new shared.Empty());
  else {
    const place = new streams.AppendResp.Position()
      .setCommitPosition(String(position))
      .setPreparePosition(String(position));
    success.setPosition(place);
  }
  return message.setSuccess(success);
}
