import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { personalDataIn } from '../../src/commands/entry/find-personal-data.ts';
import { findPersonalData, redacted, withoutOverlaps } from '../../src/domain/personal-data/personal-data.ts';
import { personalDataTypes, strictestActions } from '../../src/domain/personal-data/policy.ts';
import { findPhoneNumbers } from '../../src/support/phone-numbers.ts';

const found = (text: string): string[] =>
  withoutOverlaps(findPersonalData(text, personalDataTypes)).map(
    ({ type, start, end }) => `${type} ${text.slice(start, end)}`,
  );
const phones = async (text: string): Promise<string[]> =>
  (await findPhoneNumbers(text)).map(({ start, end }) => text.slice(start, end));

const privateKey = (length: number): string =>
  `-----BEGIN RSA PRIVATE KEY-----\n${'MIIEpAIB/+0aZ9kQ'.repeat(length / 16)}\n-----END RSA PRIVATE KEY-----`;

describe('[H7] personal data', () => {
  it.each([
    ['email', 'Ask mária.o-neil+x@post.example.org today', 'mária.o-neil+x@post.example.org'],
    ['card', 'charged to 4111-1111-1111-1111.', '4111-1111-1111-1111'],
    ['card', 'amex 378282246310005 2027', '378282246310005'],
    ['iban', 'to DE89 3704 0044 0532 0130 00, please', 'DE89 3704 0044 0532 0130 00'],
    ['national-id', 'SSN 123-45-6789', '123-45-6789'],
    ['national-id', 'DNI 12345678Z', '12345678Z'],
    ['national-id', 'codice RSSMRA85T10A562S', 'RSSMRA85T10A562S'],
    ['national-id', 'NIR 2 69 05 49 588 157 80', '2 69 05 49 588 157 80'],
    ['national-id', 'BSN 111222333', '111222333'],
    ['national-id', 'PESEL 44051401359', '44051401359'],
    ['national-id', 'född 811218-9876', '811218-9876'],
    ['national-id', 'cpf 52998224725', '52998224725'],
    ['national-id', 'Aadhaar 2341 2341 2346', '2341 2341 2346'],
    ['national-id', 'Steuer-ID 86 095 742 719', '86 095 742 719'],
    ['national-id', 'AHV 756.9217.0769.85', '756.9217.0769.85'],
    ['ip', 'from 203.0.113.77:443 to', '203.0.113.77'],
    ['ip', 'peer 2001:db8::1 left', '2001:db8::1'],
    ['secret', 'the password is Kelp-4-breakfast.', 'Kelp-4-breakfast'],
    ['secret', 'API_KEY="q7Zt0JmN4vXcB2sL"', 'q7Zt0JmN4vXcB2sL'],
    ['secret', 'psql://ada:s3a-weed@db.internal/club', 's3a-weed'],
  ])('%s in “%s”', (type, text, value) => expect(found(text)).toEqual([`${type} ${value}`]));

  it.each([
    'Order 4111 1111 1111 1112 was shipped.',
    'Order id 4111-1111-1111-1111 is open.',
    'ISBN 978-3-16-148410-0, EAN 4006381333931',
    'Version 10.12.1.4, section 1.2.3.4, firmware 4.18.0.305',
    'uuid 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
    'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    'Opened 2019-11-04 12:34:56, MAC 00:1b:44:11:3a:b7',
    'VAT DE123456788, customer 12345678, invoice 2026-000417',
    'foo@2x.png, @handle, user@localhost, npm i a@4.2.1',
    'password: <your password>, api_key=$API_KEY, password = os.environ["P"]',
    'The password must have twelve characters. secret: keep it between us',
    'std::vector and a::b',
  ])('none in “%s”', (text) => expect(found(text)).toEqual([]));

  it('phone numbers with a country code, or as people of a country write them', async () => {
    expect(await phones('Ring +49 171 3920017 or (212) 555-0142.')).toEqual([
      '+49 171 3920017',
      '(212) 555-0142',
    ]);
    expect(await phones('お電話は03-5550-0123まで, tel:+390655501234')).toEqual([
      '03-5550-0123',
      '+390655501234',
    ]);
    expect(await phones('Ticket 0161 496 0345, 2024-02-29, 1234567890, 0 0 0 0 1111 2222')).toEqual([]);
  });

  it('is replaced by placeholders, the same value by the same one', () => {
    const text = 'a@b.example, c@d.example, a@b.example and 203.0.113.7';
    const data = withoutOverlaps(findPersonalData(text, ['email', 'ip']));
    const { text: after, data: stay } = redacted(text, data, (type) => type === 'email');
    expect(after).toBe('[email-1], [email-2], [email-1] and 203.0.113.7');
    expect(stay.map(({ start, end }) => after.slice(start, end))).toEqual(['203.0.113.7']);
  });

  it('has places that lie in the text and do not overlap, whatever the text', () =>
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'aZ1@.:-/ =+“é漢'), maxLength: 200 }), (text) => {
        let at = 0;
        for (const { start, end } of withoutOverlaps(findPersonalData(text, personalDataTypes))) {
          expect(start).toBeGreaterThanOrEqual(at);
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(at).toBeLessThanOrEqual(text.length);
      }),
    ));

  it.each([
    ['a card', '4111-1111-1111-1111', ['card']],
    ['a private key', privateKey(3_200), ['secret']],
    ['a number that begins like a card', '411111111111111199', []],
    ['a number that ends like a card', '994111111111111111', []],
    ['the number of an order', 'Order 4111-1111-1111-1111', []],
  ])('in a long text is found once, wherever %s stands', async (_, value, types) => {
    for (const end of [8_192, 16_384])
      for (let before = end - 5_000; before <= end + 50; before += before < end - 60 ? 61 : 3) {
        const text = `${'w '.repeat(before).slice(-before)} ${value} ${'w '.repeat(5_000)}`;
        const places = await personalDataIn(text, ['card', 'secret']);
        expect(
          places.map(({ type }) => type),
          `at ${before}`,
        ).toEqual(types);
      }
  });

  it('is handled as the strictest space says', () => {
    expect(strictestActions([]).card).toBe('flag');
    expect(strictestActions([{ card: 'allow' }, { card: 'redact', email: 'refuse' }])).toMatchObject({
      card: 'redact',
      email: 'refuse',
      secret: 'flag',
    });
  });
});
