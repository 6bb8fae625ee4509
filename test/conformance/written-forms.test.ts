import { beforeAll, describe, expect, it } from 'vitest';
import { clientWithKey, freshTenant, type Client, type Json } from '../support/api.ts';
import { useSharedServer } from '../support/use-server.ts';

const server = useSharedServer();

const texts: Readonly<Record<string, string>> = {
  street: 'Straße der Bücher, Haus fünf.',
  shipment: 'Ship\u00adment con\u00adfir\u00adma\u00adtion arrives by e-mail.',
  warehouse: 'رقم المستودع هو ٤٤٢١.',
  sales: 'इस महीने की बिक्री १२५० इकाइयाँ रही।',
  leave: 'يجب تقديم طلب الإجازة السنوية قبل أسبوعين.',
  holiday: '연차 휴가는 최소 일주일 전에 팀장에게 신청해야 합니다.',
  backup: '데이터베이스 백업은 매일 자정에 실행됩니다.',
  key: 'המפתח למחסן נמצא אצל השומר.',
  invoice: 'Invoice total is €12,450.00 a year.',
  error: 'Error 0x80070643 while installing the update.',
  minutes: '繁體中文:會議紀錄請於三日內寄出。',
  price: 'Price: ¥１２，３００ for model ＡＸ－９.',
  lease: 'func (s *LeaseStore) RenewLease(ctx context.Context, id string) error { return ErrLeaseLost }',
  basket: 'export class BasketRepository { async findOpenBasketsByCustomer(customerId: string) {} }',
  totals: 'InvoiceTotalsCalculator rounds half to even in roundLineAmount().',
  config: 'type HTTPServerConfig struct { MaxHeaderBytes int }',
  shops: 'The customer can find open shops near the basket factory.',
  timeout: 'The server configuration was reviewed; the HTTP timeout is fine.',
  parking: 'Der Parkplatz liegt im zweiten Untergeschoss.',
  lunch: 'Lunch is at noon.',
  accounts: 'Die Rechnung geht an die Buchhaltung.',
  cars: 'موقف السيارات تحت الأرض.',
  room: '회의실은 사내 포털에서 예약할 수 있습니다.',
  meeting: 'הפגישה מתקיימת ביום שני.',
  garage: '駐車場は地下二階にあります。',
  evening: 'शाम को बैठक होगी।',
};

describe('[A4] words in other written forms', () => {
  let client: Client;
  let position: string;

  beforeAll(async () => {
    client = await clientWithKey(server, { tenant: freshTenant(), role: 'admin', user: 'ada' });
    const bodies = Object.entries(texts).map(([externalId, content]) => ({ externalId, content }));
    const stored = await client.bulk(bodies);
    position = stored.at(-1)!['position'];
  });

  it.each([
    ['STRASSE', 'street'],
    ['shipment', 'shipment'],
    ['confirmation', 'shipment'],
    ['4421', 'warehouse'],
    ['1250', 'sales'],
    ['اجازة', 'leave'],
    ['휴가', 'holiday'],
    ['백업', 'backup'],
    ['מפתח', 'key'],
    ['12450', 'invoice'],
    ['80070643', 'error'],
    ['会议', 'minutes'],
    ['AX-9 12300', 'price'],
    ['calculator', 'totals'],
    ['find open baskets by customer', 'basket'],
    ['max header bytes', 'config'],
    ['LeaseStore', 'lease'],
    ['lease store', 'lease'],
  ])('%s is found first', async (query, first) => {
    const request = { query, threshold: 0, order: 'relevance', minPosition: position, waitMs: 30_000 };
    const { status, body } = await client.post('/v1/search', request);
    expect(status).toBe(200);
    expect(body.results.map(({ memory }: Json) => memory.externalId)[0]).toBe(first);
  });

  it('finds the same text in other capitals for certain', async () => {
    const { body } = await client.post('/v1/search', {
      query: 'FUNC (S *LEASESTORE) RENEWLEASE(CTX CONTEXT.CONTEXT, ID STRING) ERROR { RETURN ERRLEASELOST }',
      minPosition: position,
      waitMs: 30_000,
    });
    expect(body.results[0]).toMatchObject({ memory: { externalId: 'lease' } });
    expect(body.results[0].relevance).toBeGreaterThanOrEqual(0.7);
  });
});
