import { wholeWords } from '../text/whole-words.ts';

/** Codes, keys and the like. They are found by a question, and are no business of a profile. */
export const SECRET = wholeWords(
  'pass(?:word|code|phrase)s?|pin|wi-?fi|(?:door|gate|access|entry|alarm|safe|building|security|recovery) codes?|codes? (?:of|for|to) the|combination|(?:spare|house|front door|master|office) keys?|keys? (?:is|are|hangs?|lies?|under|behind|to the)|api keys?|access tokens?|secret|credentials|credit card|iban',
  'Passw(?:ort|örter)|(?:Tür|Zugangs|Alarm|Zahlen|Sicherheits)-?codes?|Kennwort|WLAN|(?:Ersatz|Haus|Wohnungs|Tür|Spind|Tor)?-?Schlüssel',
  "mots? de passe|digicode|code (?:de la|d['’]|du|porte|secret)\\p{L}*|clés?",
  'contraseñas?|clave|llaves?|código de',
  'chiav[ei]|codice (?:della?|del|di)',
  'senhas?|chaves?|código d[aoe]',
  'wachtwoord(?:en)?|toegangscode|deurcode|(?:reserve|huis)?sleutels?',
);
const SECRET_SCRIPTS = /パスワード|暗証番号|合鍵|鍵|密码|密碼|钥匙|鑰匙/u;

/** Tickets, bookings and papers, by their names or their numbers. */
const REFERENCE = new RegExp(
  [
    '(?<!\\p{L})(?:tickets?|invoices?|vouchers?|claims?|reference|booking|refund|order (?:no|number)|pull request|policy (?:no|number)|customer (?:no|number)|Rechnung(?:en)?|Aktenzeichen|Vertragsnummer|Kundennummer|facturas?|factures?|fattur[ae]|faturas?|factuur|rezepte?)(?!\\p{L})',
    '(?<![\\p{L}\\p{N}])\\p{Lu}{1,5}-\\d{2,}|#\\d{2,}|(?<![\\p{L}\\p{N}])PR \\d+',
  ].join('|'),
  'u',
);

/** Who does what when, or lists of several people. */
const ROTA = new RegExp(
  [
    '(?<!\\p{L})(?:rota|roster|duty plan|shift plan|on[- ]call|pick-?ups?|weekly plan|plan for the week|week of|timetable|schedule:|Dienstplan|Wochenplan|Stundenplan|planning de la semaine|turnos?:|gift ideas?|shopping list|to-?do)(?!\\p{L})',
    '(?:\\p{Lu}\\p{L}+ (?:on|am|le|el|op) (?:Mon|Tue|Wed|Thu|Fri|Sat|Sun|Mo|Di|Mi|Do|Fr|Sa|So)\\p{L}*[^.]*,\\s*){1,}\\p{Lu}\\p{L}+ (?:on|am|le|el|op) ',
  ].join('|'),
  'u',
);

/** Plans, wishes and guesses. */
const UNSURE = wholeWords(
  "maybe|perhaps|might|could|possibly|someday|one day|some day|plan(?:s|ning)? (?:to|on|for)|think(?:s|ing) (?:of|about)|consider(?:s|ing)?|going to|will|I['’]ll|hopes? to|would love to|wants? to(?! be (?:called|addressed))|if I ever|looking (?:for|at|into)|next (?:week|month|year|spring|summer|autumn|winter)",
  'vielleicht|überleg(?:e|t)|eventuell|plan(?:e|t)|nächste[nsr]? (?:Woche|Monat|Jahr)|würde gern\\p{L}*|will (?:bald|nächste[nsr]?)',
  'peut-être|envisage|je vais|va \\p{L}+(?:er|ir|re)|prochaine?',
  'quizás?|tal vez|a lo mejor|voy a|va a|planea|próxim[oa]',
  'forse|magari|sto pensando|prossim[oa]',
  'talvez|vou|vai|pretend[eo]|próxim[oa]',
  'misschien|overweeg|ga (?:ik )?binnenkort|volgende (?:week|maand)',
);
const UNSURE_SCRIPTS = /かもしれ|つもり|予定|たいと思|可能|打算|计划|計劃|也许/u;

/** What ends soon, or is going on just now. */
const TEMPORARY = wholeWords(
  'for now|for the moment|at the moment|right now|temporar(?:y|ily)|this (?:week|month|weekend|morning|afternoon|evening)|just (?:this|the) o(?:nce|ne time)|only this|for a (?:day|week|month|while)|until (?:they|we|the|further|then|next|\\d|\\p{L}+day|January|February|March|April|May|June|July|August|September|October|November|December|Christmas|Easter|spring|summer|autumn|winter)|today|tonight|yesterday|tomorrow|just (?:now|got|had|saw)',
  'heute|gestern|morgen (?:früh|um)|vorübergehend|zur ?zeit|momentan|gerade|diese Woche|bis (?:zum|Ende|Montag|Dienstag|Mittwoch|Donnerstag|Freitag|Samstag|Sonntag)',
  "aujourd['’]hui|hier|demain|ce soir|en ce moment|cette semaine|jusqu['’](?:à|au|en)",
  'hoy|ayer|mañana por|esta (?:semana|noche|tarde)|de momento|hasta (?:el|la|que)|anoche',
  'oggi|ieri|domani|stasera|per ora|questa settimana|fino a',
  'hoje|ontem|amanhã|esta semana|por enquanto|até (?:o|a|que)',
  'vandaag|gisteren|morgen|vanavond|deze week|voorlopig|tot (?:en met|eind)',
);
const TEMPORARY_SCRIPTS = /今日|昨日|明日|今週|今夜|今天|昨天|明天|这周|暂时/u;

/** What happens again and again, though its days have names. */
export const HABIT = wholeWords(
  '(?:every|each|most) (?:\\p{L}+ )?(?:day|morning|evening|night|week|weekend|month|year|\\p{L}+day)s?',
  '(?:\\p{L}+day) (?:mornings|afternoons|evenings|nights)|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days|weekdays|weekends',
  '(?:montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|morgen|abend)s|jeden?',
  'chaque|tous les|cada|todos los|todas las|ogni|todos os|elke',
);

/** Somebody speaks of a state that passes, or of doing something, and not of who they are. */
const PASSING = new RegExp(
  [
    "(?<!\\p{L})(?:I['’]m|I am|is) (?:not )?(?:so |very |a bit |just |really |still |all |too )?(?:tired|late|here|there|back|done|stuck|sick|ill|busy|sorry|glad|sure|happy|sad|afraid|ready|away|off|out|lost|confused|curious|excited|fine|ok(?:ay)?|in (?:a|the) (?:meeting|call|office)|at (?:the|a)|on (?:holiday|leave|vacation|the (?:way|train|bus|phone))|asked|told|down|broken|(?!working|living|learning|studying|training|intolerant)\\p{L}+ing)(?!\\p{L})",
    "(?<!\\p{L})(?:I|user) (?:have|['’]ve|has|had) (?:to|been (?:to|there|\\p{L}+ing)|just|already|a (?:question|meeting|call|problem|cold|headache|fever|flight|appointment)|an (?:appointment|issue|idea|interview)|\\p{L}+ed)(?!\\p{L})",
    '(?<!\\p{L})(?:has|have|had) to(?!\\p{L})',
    // Without what stands before it, "it" is nothing.
    '(?<!\\p{L})I (?:\\S+ ){1,3}(?:it|that|this|them)(?!\\p{L})',
    '(?<!\\p{L})again(?!\\p{L})',
    '(?<!\\p{L})(?:want|wants|wanted) (?:to know|help|a refund|us to check)(?!\\p{L})',
    '(?<!\\p{L})(?:habe?|hat|bin|ist|hab) (?:[^.!?]* )?(?:ge\\p{L}+(?:t|en)|\\p{L}+(?:ge)\\p{L}+(?:t|en)|\\p{L}+iert|ver\\p{L}+(?:t|en)|be\\p{L}+t)(?=[.,!;]|$)',
    "(?<!\\p{L})(?:j['’]ai|a|est|suis) (?:\\p{L}+ )?\\p{L}+(?:é|ée|és)(?!\\p{L})",
    '(?<!\\p{L})(?:he|ha|has) (?:\\p{L}+)(?:ado|ido)(?!\\p{L})',
    '(?<!\\p{L})(?:ho|ha|sono|è) (?:\\p{L}+ )?(?!allergic)\\p{L}+(?:ato|ito|uto|ata|ita|uta)(?=[ .,!])',
    '(?<!\\p{L})(?:heb|heeft|ben|is) (?:[^.!?]* )?ge\\p{L}+(?:t|d|en)(?=[.,!;]|$)',
    'ました|でした|ところ',
    '(?:昨|刚|刚刚|已经)[^。]*了',
  ].join('|'),
  'iu',
);

/** A sentence that says nothing lasting about anybody, whoever it is about. */
export function isPassing(sentence: string): boolean {
  return (
    [SECRET, SECRET_SCRIPTS, REFERENCE, ROTA, UNSURE, UNSURE_SCRIPTS].some((cue) => cue.test(sentence)) ||
    /[?？]["”’)»]*$/u.test(sentence)
  );
}

/** A sentence that is true for a short time. */
export function isTemporary(sentence: string): boolean {
  return [TEMPORARY, TEMPORARY_SCRIPTS, PASSING].some((cue) => cue.test(sentence));
}
