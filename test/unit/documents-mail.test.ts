import { describe, expect, it } from 'vitest';
import type { Block } from '../../src/domain/documents/content.ts';
import { readMail } from '../../src/adapters/documents/mail.ts';

const read = (message: string, encoding: BufferEncoding = 'utf8') =>
  readMail({ bytes: Buffer.from(message.replaceAll('\n', '\r\n'), encoding) });
const head = `From: Ann Miller <ann@mill.example>
To: service@heat.example
Date: Tue, 10 Mar 2026 09:14:00 +0100
`;
const said = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => ('text' in block && block.isBoilerplate !== true ? [block.text] : []));
const aside = (blocks: readonly Block[]): string[] =>
  blocks.flatMap((block) => ('text' in block && block.isBoilerplate === true ? [block.text] : []));

describe('mail', () => {
  it('keeps what is said apart from what is quoted and from the signature', async () => {
    const { blocks, ...facts } = await read(`${head}Subject: =?utf-8?Q?Re:_Boiler_=E2=80=93_visit?=
In-Reply-To: <1@heat.example>
Content-Type: text/plain; charset=utf-8

Thursday does not work, since the hall is let to the choir on that day,
so please come on Friday.

Please bring:
- the vessel of 80 litres
- a valve

Kind regards
Ann

--
Mill Street 4

On Mon, 9 Mar 2026 at 16:40, Heating firm
<service@heat.example> wrote:
> we can offer Thursday. The exchange
> costs 312.
>
> > On Sun, Ann wrote:
> > the boiler loses pressure.
`);
    expect(facts).toMatchObject({
      contentType: 'conversation',
      title: 'Re: Boiler – visit',
      occurredAt: '2026-03-10T08:14:00.000Z',
    });
    expect(facts.metadata).toMatchObject({
      from: 'Ann Miller <ann@mill.example>',
      to: ['service@heat.example'],
    });
    expect(said(blocks)).toEqual([
      'From: Ann Miller\nTo: service@heat.example\nDate: 2026-03-10 08:14 UTC',
      'Thursday does not work, since the hall is let to the choir on that day, so please come on Friday.',
      'Please bring:\n- the vessel of 80 litres\n- a valve',
    ]);
    expect(aside(blocks).join('\n')).toMatch(
      /Kind regards\nAnn[\s\S]*Mill Street 4[\s\S]*wrote:[\s\S]*The exchange\ncosts 312[\s\S]*loses pressure/,
    );
  });

  it('takes what stands below a head of Outlook for quoted, and what is forwarded for said', async () => {
    const body = `Content-Type: text/plain; charset=iso-8859-1

Der Termin am Freitag passt, und der Preis von 74 \u0080 auch.

-----Ursprüngliche Nachricht-----
Von: Heizung
Gesendet: Montag
An: Ann
Betreff: Termin

Wir können am Freitag kommen.
`;
    const answer = await read(`${head}Subject: AW: Termin\n${body}`, 'latin1');
    expect(said(answer.blocks).slice(1)).toEqual([
      'Der Termin am Freitag passt, und der Preis von 74 € auch.',
    ]);
    expect(aside(answer.blocks).at(-1)).toBe('Wir können am Freitag kommen.');
    const forwarded = await read(`${head}Subject: WG: Termin\n${body}`, 'latin1');
    expect(said(forwarded.blocks).at(-1)).toBe('Wir können am Freitag kommen.');
    expect(forwarded.contentType).toBe('note');
  });

  it('reads HTML where the text part says nothing, without pixels and quotes', async () => {
    const { blocks, contentType } = await read(`${head}Subject: Rota
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=x

--x
Content-Type: text/plain

Open in a browser.
--x
Content-Type: text/html; charset=utf-8

<html><body><div style="display:none">Preview of nothing</div><p>The rota of the boat for the whole of the next month:</p>
<table><tr><th>Day</th><th>Crew</th></tr><tr><td>Monday</td><td>Bea</td></tr></table><img src="cid:p" width="1" height="1" alt="open">
<div class="gmail_quote"><div class="gmail_attr">On Monday Bea wrote:</div><blockquote class="gmail_quote">When do I sail?</blockquote></div>
<p><a href="#">Unsubscribe</a> or view in your browser</p></body></html>
--x--
`);
    expect(contentType).toBe('note');
    expect(said(blocks).slice(1)).toEqual(['The rota of the boat for the whole of the next month:']);
    expect(blocks).toContainEqual({ kind: 'table', header: ['Day', 'Crew'], rows: [['Monday', 'Bea']] });
    expect(aside(blocks)).toEqual([
      'Unsubscribe or view in your browser',
      'On Monday Bea wrote:',
      '> When do I sail?',
    ]);
    expect(JSON.stringify(blocks)).not.toMatch(/pixel|Preview|"open"/);
  });

  it('hands out files, and no pictures of the text', async () => {
    const { attachments } = await read(`${head}Subject: Files
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=x

--x
Content-Type: text/plain

See the list.
--x
Content-Type: text/csv; name="list.csv"
Content-Disposition: attachment; filename="list.csv"
Content-Transfer-Encoding: base64

YSxiCjEsMgo=
--x
Content-Type: image/png
Content-Disposition: inline
Content-Transfer-Encoding: base64

AAAA
--x--
`);
    expect(attachments).toEqual([
      { filename: 'list.csv', mediaType: 'text/csv', bytes: Uint8Array.from(Buffer.from('a,b\n1,2\n')) },
    ]);
  });

  it('reads the messages of an archive', async () => {
    const one = (subject: string): string =>
      `From a@b.example Mon Mar  9 10:00:00 2026\n${head}Subject: ${subject}\n\nText of ${subject}.\n\n`;
    const { blocks, contentType } = await read(one('first') + one('second'));
    expect(contentType).toBe('conversation');
    expect(blocks.filter(({ kind }) => kind === 'heading')).toMatchObject([
      { text: 'first' },
      { text: 'second' },
    ]);
    expect(said(blocks)).toContain('Text of second.');
  });

  it('is refused if its text cannot be decoded, and read if only its charset is unknown', async () => {
    const body = 'The boiler is repaired on Friday. '.repeat(9);
    const encoded = (transfer: string, text: string, charset = 'utf-8') =>
      `${head}Subject: Boiler\nContent-Type: text/plain; charset=${charset}\nContent-Transfer-Encoding: ${transfer}\n\n${text}\n`;
    const base64 = Buffer.from(body).toString('base64');
    expect(said((await read(encoded('base64', base64))).blocks).join()).toContain('repaired on Friday');
    expect(said((await read(encoded('base64', base64, 'x-nobody-knows'))).blocks).join()).toContain(
      'repaired',
    );
    const shifted = Buffer.from(Array.from({ length: 600 }, (_, n) => (n * 167 + (n >> 3)) % 256)).toString(
      'base64',
    );
    await expect(read(encoded('base64', shifted))).rejects.toMatchObject({ code: 'document-unreadable' });
    await expect(read(encoded('base64', shifted, 'x-nobody-knows'))).rejects.toMatchObject({
      code: 'document-unreadable',
    });
  });

  it('does not drop a message that only quotes, nor fail on an empty one', async () => {
    expect(said((await read(`${head}Subject: x\n\n> only a quote\n`)).blocks)).toContain('only a quote');
    expect((await read(`${head}Subject: x\n\n`)).blocks).toEqual([]);
  });
});
