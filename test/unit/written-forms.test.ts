import { describe, expect, it } from 'vitest';
import { fold } from '../../src/domain/text/fold.ts';
import { queryTerms, termCounts, words } from '../../src/domain/text/tokens.ts';

/** Whether a memory with `text` contains every term of the query `word`. */
function finds(word: string, text: string): boolean {
  const { counts } = termCounts(text);
  const terms = queryTerms(word);
  return terms.length > 0 && terms.every((term) => counts.has(term));
}
/** Whether it contains one of them. */
function touches(word: string, text: string): boolean {
  const { counts } = termCounts(text);
  return queryTerms(word).some((term) => counts.has(term));
}

describe('fold', () => {
  it.each([
    ['Straße', 'strasse'],
    ['STRASSE', 'strasse'],
    ['GROẞ', 'gross'],
    ['Dvořák & Łukasz', 'dvorak & lukasz'],
    ['Đường dây nóng', 'duong day nong'],
    ['Kırmızı IŞIK İzmir', 'kirmizi isik izmir'],
    ['Ærø, Œuvre, Þór', 'aero, oeuvre, thor'],
    ['ΓΡΑΦΕΙΟΥΣ γραφείους', 'γραφειουσ γραφειουσ'],
    ['ＡＸ－９ ¥１２，３００', 'ax-9 ¥12,300'],
    ['ﾃﾞｰﾀﾍﾞｰｽ', 'データベース'],
    ['Ship\u00adment\u200b\u2060\ufeff', 'shipment'],
    ['٤٤٢١ ۱۲۳ १२५० ๑๒ ᭒᭓ 𝟙𝟚', '4421 123 1250 12 23 12'],
    ['١٢٬٤٥٠٫٥', '12,450.5'],
    ['2½ 10² ①', '2 1⁄2 10 2 1'],
    ['الإجازة أُولى آخر مسؤول ٱلكتاب', 'الاجازه اولي اخر مسوول الكتاب'],
    ['كـــتـــاب مُدَرِّسٌ', 'كتاب مدرس'],
    ['کلید یکی', 'كليد يكي'],
    ['پشتیبان‌گیری', 'پشتيبان گيري'],
    ['שָׁלוֹם צה״ל צה"ל', 'שלום צהל צהל'],
    ['इकाइयाँ फ़ोन', 'इकाइयां फोन'],
    ['क्‍ष', 'क्ष'],
    ['會議紀錄 發票', '会议纪录 发票'],
  ])('gives %j the form %j', (text, form) => {
    expect(fold(text)).toBe(form);
    expect(fold(form)).toBe(form);
  });
});

describe('numbers', () => {
  it.each([
    ['12,450.00', ['12450']],
    ['12,450.75', ['12450.75']],
    ["12'450", ['12450']],
    ['12.450,00', ['12450']],
    ['1.012.450,5', ['1012450.5']],
    ['12,34,567', ['1234567']],
    ['1,250,000 units', ['1250000', 'units']],
    ['1,2,3', ['1', '2', '3']],
    ['1234,567', ['1234', '567']],
    ['12,345,67', ['12', '345', '67']],
    ['version 1.27.3', ['version', '1.27.3']],
  ])('reads %j as %j', (text, expected) => {
    expect(words(text)).toEqual(expected);
  });

  it.each([
    ['12450', 'Invoice total is €12,450.00 a year.'],
    ['12,450.00', 'paid 12450'],
    ['12450', 'paid 12450.00'],
    ['12450', 'bezahlt 12.450 Euro'],
    ['102', 'rooms 101,102,103'],
    ['80070643', 'Error 0x80070643 while installing'],
    ['0x80070643', 'Error 0x80070643'],
    ['4421', 'رقم المستودع هو ٤٤٢١.'],
  ])('finds %j in %j', (word, text) => {
    expect(finds(word, text)).toBe(true);
  });
});

describe('identifiers', () => {
  it.each([
    ['LeaseStore', ['leasestor', 'leas', 'store']],
    ['HTTPServerConfig', ['httpserverconfig', 'http', 'server', 'config']],
    ['findOpenBasketsByCustomer', ['findopenbasketsbycustom', 'find', 'open', 'basket', 'custom']],
    ['getURLsForUtf8Decoder', ['geturlsforutf8decoder', 'url', 'utf8', 'decod']],
    ['src/LeaseStore.ts', ['src', 'leasestor', 'ts', 'leas', 'store']],
    ['APIs', ['api']],
    ['iOS', ['io']],
    ['eBay', ['ebay']],
    ['aGVsbG8gd29ybGQhIQ', ['agvsbg8gd29ybgqhiq']],
  ])('have the terms of the whole and of the parts: %j', (text, expected) => {
    expect([...termCounts(text).counts.keys()]).toEqual(expected);
  });

  it('are as long as in lower case, and are asked for as a whole', () => {
    expect(termCounts('GitHub LeaseStore').length).toBe(2);
    expect(queryTerms('GitHub LeaseStore')).toEqual(queryTerms('github leasestore'));
  });
});

describe('words of other languages', () => {
  it.each([
    ['اجازة', 'يجب تقديم طلب الإجازة السنوية'],
    ['المكتب', 'مكتب جديد'],
    ['مكتب', 'انتقلنا للمكتب وبالمكتب'],
    ['احتياطية', 'النسخ الاحتياطية'],
    ['كليد', 'کلید انبار'],
    ['휴가', '연차 휴가는 최소'],
    ['백업', '데이터베이스 백업은'],
    ['데이터', '데이터베이스를'],
    ['책', '책을 읽는다'],
    ['API', 'API는 느립니다'],
    ['会议', '繁體中文:會議紀錄'],
    ['會議', '会议室'],
    ['バックアップ', 'ﾊﾞｯｸｱｯﾌﾟは毎日'],
  ])('finds %j in %j', (word, text) => {
    expect(finds(word, text)).toBe(true);
  });

  it.each([
    ['اتصل', 'إذا توقف الخادم فاتصل بالمهندس'],
    ['وصول', 'الوصول'],
    ['מפתח', 'המפתח למחסן'],
    ['המפתח', 'מפתח'],
    ['פגישה', 'והפגישה השבועית'],
  ])('has a form of %j in common with %j', (word, text) => {
    expect(touches(word, text)).toBe(true);
  });
});
