import PostalMime, { type Address, type Email } from 'postal-mime';
import type { Attachment, Block, DocumentContent } from '../../domain/documents/content.ts';
import { Problem } from '../../domain/problems.ts';
import type { FileToRead } from '../../ports/document-reader.ts';
import { timestampOf } from './dates.ts';
import { contentOfHtml } from './html.ts';
import { blocksOfMailHtml } from './mail-html.ts';
import { blocksOfMailText } from './mail-text.ts';
import { withoutControls } from './windows-1252.ts';

/** A text part that says less than this share of the HTML part only tells the reader to open the other one. */
const minTextShare = 0.3;
/** Archives with more messages than this are cut. */
const maxMessages = 10_000;
/** A text with more control characters for each thousand is none: its transfer encoding was broken or cut. */
const maxControls = 10;

/**
 * Reads a message, or an archive of several in the format mbox: the text part, or else the HTML part. Quoted replies and signatures
 * are boilerplate of their own. A message that quotes or answers another one is a `conversation`, and any other is a `note`.
 */
export async function readMail(file: FileToRead): Promise<DocumentContent> {
  const parts = messagesOf(file.bytes);
  const messages: Email[] = [];
  for (const part of parts.slice(0, maxMessages)) messages.push(await PostalMime.parse(part));
  const [first] = messages;
  if (!first) return { mediaType: 'message/rfc822', contentType: 'note', blocks: [], replacements: 0 };
  // Browsers save pages as mail without a sender.
  if (messages.length === 1 && !first.from && first.html !== undefined && !first.text?.trim()) {
    return { ...contentOfHtml(first.html, 0), attachments: attachmentsOf(first) };
  }
  // One message of an archive is no reason to refuse the others.
  if (messages.length === 1) for (const part of [first.text, first.html]) assertText(part ?? '');
  const blocks = messages.flatMap((message) => blocksOfMessage(message, messages.length > 1));
  const isConversation =
    messages.length > 1 ||
    isAnswer(first) ||
    blocks.some(({ isBoilerplate }) => isBoilerplate === true && first.inReplyTo);
  const title = withoutControls(first.subject ?? '').trim();
  const occurredAt = timestampOf(first.date);
  const attachments = messages.flatMap(attachmentsOf);
  return {
    mediaType: 'message/rfc822',
    contentType: isConversation ? 'conversation' : 'note',
    ...(title === '' ? {} : { title }),
    ...(occurredAt === undefined ? {} : { occurredAt }),
    metadata: metadataOf(first),
    blocks,
    replacements: blocks.reduce(
      (sum, block) => sum + ('text' in block ? block.text.split('\uFFFD').length - 1 : 0),
      0,
    ),
    ...(attachments.length === 0 ? {} : { attachments }),
  };
}

function blocksOfMessage(message: Email, isOneOfMany: boolean): Block[] {
  const subject = withoutControls(message.subject ?? '').trim();
  const heading: Block[] =
    isOneOfMany && subject !== '' ? [{ kind: 'heading', level: 1, text: subject }] : [];
  const head = headOf(message);
  const body = bodyOf(message);
  return [
    ...heading,
    ...(head === '' || body.length === 0 ? [] : [{ kind: 'text', text: head } as const]),
    ...body,
  ];
}

/** What is forwarded is the matter of the message, and what is quoted is said elsewhere. */
function bodyOf(message: Email): Block[] {
  const isForwarded = /^\s*(?:fwd?|wg|tr|rv|i|enc)\s*:/i.test(message.subject ?? '');
  const text = withoutControls(message.text ?? '');
  const html = withoutControls(message.html ?? '');
  const fromHtml = html.trim() === '' ? [] : blocksOfMailHtml(html);
  const fromText = text.trim() === '' ? [] : blocksOfMailText(text);
  const isStub = fromHtml.length > 0 && lettersOf(fromText) < lettersOf(fromHtml) * minTextShare;
  const blocks = fromText.length === 0 || isStub ? fromHtml : fromText;
  const isAllQuoted = blocks.every((block) => block.isBoilerplate === true);
  return isForwarded || isAllQuoted ? blocks.map(({ isBoilerplate: _, ...block }) => block as Block) : blocks;
}

function assertText(text: string): void {
  // eslint-disable-next-line no-control-regex
  const controls = text.match(/[\0-\u0007\u000E-\u001A\u001C-\u001F\u007F]/g)?.length ?? 0;
  if (controls * 1_000 > text.length * maxControls)
    throw new Problem(
      'document-unreadable',
      'the text of the message cannot be decoded: it is broken or cut',
    );
}

/** Names alone where there are names: the addresses are in the metadata. */
function headOf({ from, to, cc, date }: Email): string {
  const day = timestampOf(date)?.slice(0, 16).replace('T', ' ');
  const lines = [
    ['From', from && nameOf(from)],
    ['To', to?.map(nameOf).join(', ')],
    ['Cc', cc?.map(nameOf).join(', ')],
    ['Date', day === undefined ? undefined : `${day} UTC`],
  ];
  return lines
    .flatMap(([label, value]) => (value === undefined || value === '' ? [] : [`${label}: ${value}`]))
    .join('\n');
}

function nameOf(address: Address): string {
  return withoutControls(address.name.trim() || (address.address ?? ''));
}

function metadataOf(message: Email): Record<string, unknown> {
  const written = (addresses: readonly Address[] | undefined): string[] | undefined =>
    addresses?.flatMap((address) =>
      (address.group ?? [address]).map(({ name, address: at }) => (name ? `${name} <${at}>` : at)),
    );
  const all = {
    from: written(message.from && [message.from])?.[0],
    to: written(message.to),
    cc: written(message.cc),
    messageId: message.messageId,
    inReplyTo: message.inReplyTo,
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

function isAnswer({ inReplyTo, references, subject }: Email): boolean {
  return (
    inReplyTo !== undefined || references !== undefined || /^\s*(?:re|aw|sv|antw)\s*:/i.test(subject ?? '')
  );
}

/** Files, without the pictures that the HTML part shows within its text. */
function attachmentsOf({ attachments }: Email): Attachment[] {
  return attachments.flatMap(({ filename, mimeType, content, related, disposition }) => {
    const isPartOfText = mimeType.startsWith('image/') && (related === true || disposition === 'inline');
    if (isPartOfText || typeof content === 'string' || content.byteLength === 0) return [];
    return [
      { filename: filename ?? nameless(mimeType), mediaType: mimeType, bytes: new Uint8Array(content) },
    ];
  });
}

function nameless(mediaType: string): string {
  return mediaType === 'message/rfc822'
    ? 'message.eml'
    : mediaType === 'text/calendar'
      ? 'invitation.ics'
      : 'attachment';
}

function lettersOf(blocks: readonly Block[]): number {
  const texts = blocks.map((block) => (block.kind === 'table' ? block.rows.flat().join('') : block.text));
  return texts.join('').replaceAll(/[^\p{L}\p{N}]/gu, '').length;
}

/** The messages of an mbox begin with a line "From sender date"; any other file is one message. */
function messagesOf(bytes: Uint8Array): Uint8Array[] {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const starts = [...text.matchAll(/(?:^|\r?\n\r?\n)(?=From \S+ .*\d{4}\r?\n[A-Za-z-]+:)/g)].map(
    (found) => found.index + found[0].length,
  );
  if (starts[0] !== 0) return [bytes];
  return starts.map((start, index) =>
    bytes.subarray(text.indexOf('\n', start) + 1, starts[index + 1] ?? bytes.length),
  );
}
