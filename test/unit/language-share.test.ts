import { describe, expect, it } from 'vitest';
import { isEnglish, languageShareOf } from '../../src/domain/text/language-share.ts';

const english = [
  'The server maintenance takes place every Wednesday at two in the morning.',
  'I moved to Lisbon in March, and my sister stayed in Berlin.',
  'Caroline: that was the best concert of my life!',
  'The naïve façade was rebuilt by Dvořák & Łukasz.',
  'def main(args):\n    # The first argument is the name of the file\n    return run(args)',
];
const others = [
  '연차 휴가는 최소 일주일 전에 팀장에게 신청해야 합니다.',
  'يجب تقديم طلب الإجازة السنوية قبل أسبوعين.',
  '服务器维护窗口为每周三凌晨两点。',
  'पैसे हर महीने की पहली तारीख को आते हैं।',
  'Die Urlaubsanträge müssen zwei Wochen vorher eingereicht werden, und zwar von allen.',
  'La réunion de l’équipe est prévue pour mardi avec les clients.',
  'El almacén cierra los viernes a las cinco y no abre en agosto.',
  'Faktury wysyła się do księgowości na koniec miesiąca, nie później.',
  'Toplantı bir saat sürer ve sonra yemek var.',
  'De vergadering is niet op maandag maar op dinsdag.',
];
const untold = ['', 'Mara Kessel', '2026-08-03T09:00:00Z POST /v1/stats 200 12ms', 'retries=3 timeout=500'];

describe('isEnglish', () => {
  it.each(english)('says so of %j', (text) => expect(isEnglish(text)).toBe(true));
  it.each(others)('denies it of %j', (text) => expect(isEnglish(text)).toBe(false));
  it.each(untold)('does not know of %j', (text) => expect(isEnglish(text)).toBeUndefined());
});

it('counts the texts that tell a language', () => {
  const share = languageShareOf([...english, ...others, ...untold]);
  expect(share).toEqual({ judged: english.length + others.length, foreign: others.length });
});
