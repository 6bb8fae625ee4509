import { isPastEvent, isUnsure, saysChange } from '../consistency/updates/cues.ts';

/**
 * Words of a time near the telling, and verbs in the past, in the languages of the tests of search: "picked up today", "seit Montag",
 * "a changé hier", "しました". Together with the words for a change they tell an event from a lasting state ("needs magenta toner").
 */
const EVENT = new RegExp(
  [
    String.raw`\b(?:today|tonight|yesterday|this (?:morning|afternoon|evening|week|month)|last (?:week|weekend|night|month)|since|until|just|finally|already|by now|again|for now|as before|at last|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b`,
    String.raw`\b(?:merged|live|done|finished|over|dead|gone|out|off|correction|fix|typo|misread|sorry)\b`,
    String.raw`(?<!\p{L})(?:heute|gestern|seit|bis|zum \d|endlich|wieder|montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag)(?!\p{L})`,
    String.raw`\b(?:hat|habe|haben|ist|sind|wird|wurden?|war|waren)\b.{0,80}\b(?:\p{L}{0,8}ge\p{L}{2,}(?:t|en)|ver\p{L}{3,}(?:t|en)|be\p{L}{3,}(?:t|en))\b`,
    String.raw`(?<!\p{L})(?:aujourd['’]hui|hier|depuis|jusqu['’]|enfin|à partir)(?!\p{L})|(?<!\p{L})(?:a|ai|as|avons|ont|est|sont|suis|été)\s(?:\p{L}+\s)?\p{L}{2,}(?:é|ée|és|ées|is|it|u|us|ue)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:hoy|ayer|desde|hasta|por fin|hoje|ontem|oggi|ieri|dal|fino)(?!\p{L})|(?<!\p{L})(?:ha|he|han|hemos|ho|hanno|è|sono)\s\p{L}{2,}(?:ado|ido|ato|uto|ito|ata|ita)(?!\p{L})|\p{L}{2}(?:ó|aron|ieron|ou)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:сегодня|вчера|уже|снова|до \d)(?!\p{L})|\p{L}{2}(?:лся|лась|лись|ла|ли)(?!\p{L})`,
    'ました|でした|昨日|昨夜|今日|から|了|昨天|今天|했|었|았|오늘|어제',
  ].join('|'),
  'iu',
);

/**
 * Whether a text tells that something happened, changed or has ended, and is sure of it. Such a text can replace what an earlier one
 * says; a plain statement about the same thing is mostly about something else of it.
 */
export function tellsChange(text: string): boolean {
  return !isUnsure(text) && (saysChange(text) || isPastEvent(text) || EVENT.test(text));
}
