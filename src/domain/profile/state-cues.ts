import { wholeWords } from '../text/whole-words.ts';

/*
 * Words that tell lasting facts about a user from everything else, in the languages of most notes. A text in another language is told
 * by a name alone, so it is left out rather than guessed.
 */

/** What a language calls the user in notes about the user: "User prefers …". */
export const USER = [
  '(?:the )?user',
  '(?:der |die )?(?:Benutzer(?:in)?|Nutzer(?:in)?)',
  "l['’]utilisat(?:eur|rice)",
  '(?:el |la )?usuari[oa]',
  "l['’]utente",
  '(?:o |a )?(?:usuári[oa]|utilizador(?:a)?)',
  '(?:de )?gebruiker',
  'użytkownik',
  'ユーザー',
  '用户',
  '使用者',
];

/** "Always", "not" and the like, between a subject and its verb. */
const ADVERBS =
  "(?:(?:\\p{L}+ly|always|never|usually|often|mostly|only|also|still|now|really|do|don['’]t|does|doesn['’]t|not|no longer|cannot|can['’]t|both|just|much|nicht|immer|nie|gern|gerne|kein(?:e|en)?|lieber|ne|n['’]|no|non|não|nunca|toujours|jamais|siempre|sempre|niet|altijd|nooit|nie) )*";

/** Present tense of what somebody is, has, does and likes: forms of the first person, then those of the third. */
const STATES: readonly (readonly [first: string, third: string])[] = [
  [
    'am|have|own|live|work|like|love|prefer|hate|dislike|enjoy|speak|study|play|use|drive|ride|drink|eat|avoid|want|wear|take|keep|collect|follow|support|practi[cs]e|read|write|cook|bake|run|swim|cycle|sleep|get up|wake up|commute|teach|manage|lead|smoke|go|train|listen|watch|sit|work|come from|identify|answer|sign|suffer|pay|stand',
    "is|isn['’]t|has|hasn['’]t|owns?|lives?|works?|likes?|loves?|prefers?|hates?|dislikes?|enjoys?|speaks?|stud(?:y|ies)|plays?|uses?|drives?|rides?|drinks?|eats?|avoids?|wants?|wears?|takes?|keeps?|collects?|follows?|supports?|practi[cs]es?|reads?|writes?|cooks?|bakes?|runs?|swims?|cycles?|sleeps?|gets up|wakes up|commutes?|teach(?:es)?|manages?|leads?|smokes?|goes|trains?|listens?|watch(?:es)?|sits?|comes? from|identif(?:y|ies)|answers?|signs?|suffers?|means|goes by|doesn['’]t|does not",
  ],
  [
    'bin|habe?|mag|liebe|hasse|bevorzuge|wohne|lebe|arbeite|esse|trinke|spreche|spiele|fahre|laufe|hei(?:ß|ss)e|lerne|studiere|nutze|benutze|verwende|trage|komme aus|vertrage|rauche|gehe|schlafe|jogge|koche|lese|höre|brauche|möchte|kann kein(?:e|en)?',
    'ist|hat|mag|liebt|hasst|bevorzugt|wohnt|lebt|arbeitet|isst|trinkt|spricht|spielt|fährt|läuft|hei(?:ß|ss)t|lernt|studiert|nutzt|benutzt|verwendet|trägt|kommt aus|verträgt|raucht|geht|schläft|joggt|kocht|liest|hört|braucht|möchte|kann kein(?:e|en)?',
  ],
  [
    "suis|ai|vis|habite|travaille|préfère|aime|déteste|adore|bois|mange|parle|joue|conduis|porte|utilise|cours|fais|m['’]appelle|viens de|lis|écoute|étudie|dors|fume",
    "est|a|vit|habite|travaille|préfère|aime|déteste|adore|boit|mange|parle|joue|conduit|porte|utilise|court|fait|s['’]appelle|vient de|lit|écoute|étudie|dort|fume|veut|souhaite|demande",
  ],
  [
    'soy|tengo|vivo|trabajo|prefiero|odio|hablo|juego|toco|bebo|uso|conduzco|como|estudio|corro|llevo|leo|escucho|duermo|fumo|detesto|me gustan?|me encantan?|me llamo',
    'es|tiene|vive|trabaja|prefiere|odia|habla|juega|toca|bebe|usa|conduce|come|estudia|corre|lleva|lee|escucha|duerme|fuma|detesta|quiere|pide|le gustan?|le encantan?|se llama',
  ],
  [
    'sono|ho|vivo|abito|lavoro|preferisco|odio|parlo|gioco|bevo|uso|guido|mangio|studio|corro|porto|leggo|ascolto|dormo|fumo|amo|mi piac(?:e|ciono)|mi chiamo',
    'è|ha|vive|abita|lavora|preferisce|odia|parla|gioca|beve|usa|guida|mangia|studia|corre|porta|legge|ascolta|dorme|fuma|ama|vuole|(?:gli|le) piac(?:e|ciono)|si chiama',
  ],
  [
    'sou|tenho|moro|vivo|trabalho|prefiro|odeio|falo|jogo|toco|bebo|uso|dirijo|conduzo|como|estudo|corro|leio|ouço|durmo|fumo|gosto|adoro|chamo-me|me chamo',
    'é|tem|mora|vive|trabalha|prefere|odeia|fala|joga|toca|bebe|usa|dirige|conduz|come|estuda|corre|lê|ouve|dorme|fuma|gosta|adora|quer|chama-se',
  ],
  [
    'ben|heb|woon|werk|hou|eet|drink|spreek|speel|rijd|draag|heet|gebruik|haat|studeer|kom uit|lees|luister|slaap|rook|ga|vind|wil',
    'is|heeft|woont|werkt|houdt|eet|drinkt|spreekt|speelt|rijdt|draagt|heet|gebruikt|haat|studeert|komt uit|leest|luistert|slaapt|rookt|gaat|vindt|wil',
  ],
  [
    'jestem|mam|mieszkam|pracuję|wolę|lubię|piję|jem|mówię|używam|gram',
    'jest|ma|mieszka|pracuje|woli|lubi|pije|je|mówi|używa|gra',
  ],
];

/** Languages whose verbs need no subject: `tengo`, `sono`, `moro`, `wolę`. */
const WITHOUT_SUBJECT = [3, 4, 5, 7].map((at) => STATES[at]![0]);

const first = STATES.map(([forms]) => forms).join('|');
const third = STATES.map(([, forms]) => forms).join('|');

/** The writer as the subject: "I live …", "am liebsten trinke ich …", "J'habite …", "Vivo en …". */
export const SELF_STATE = new RegExp(
  [
    `(?<!\\p{L})(?:(?:I|ich|je|yo|io|eu|ik) ${ADVERBS}|j['’](?:n['’])?|je n['’])(?:${first})(?!\\p{L})`,
    `(?<!\\p{L})I(?:['’]m|['’]ve (?:got|been)|['’]d rather)(?!\\p{L})`,
    `(?<!\\p{L})(?:${STATES[1]![0]}|${STATES[6]![0]}) (?:ich|ik)(?!\\p{L})`,
    `(?:^|[,;:] |(?<!\\p{L})(?:y|e|pero|ma|mas|ale|no|non|não|nie) )(?:${WITHOUT_SUBJECT.join('|')})(?!\\p{L})`,
  ].join('|'),
  'iu',
);

/** What follows the name of the user, or "User". */
export const THIRD_STATE = new RegExp(`^(?:,[^,]*,)? ?${ADVERBS}(?:${third})(?!\\p{L})`, 'iu');

/** A note that begins with the verb, as extractors and people write about the user: "Likes hiking", "Allergic to peanuts". */
export const DROPPED_SUBJECT = new RegExp(
  `^(?:(?:does(?:n['’]t| not)|never|always|usually|mostly|no longer) )?(?:(?:likes|loves|prefers|hates|dislikes|enjoys|lives|works|speaks|studies|owns|plays|uses|drives|rides|drinks|eats|avoids|wears|collects|smokes|mag|wohnt|arbeitet|trinkt|isst|spricht|bevorzugt|aime|habite|travaille|préfère|prefiere|vive|trabaja|preferisce|abita|lavora|prefere|mora|trabalha|woont|werkt|houdt van)(?!\\p{L})|(?:is |ist |est |es |è |é )?(?:allergic to|allergi(?:es?|sch gegen|sch voor|que (?:à|aux?))|alérgic[oa]|allergic[oa] a|vegan|vegetarian|vegetari[ës]ch|vegetarier(?:in)?|végétarienne?|vegetarian[oa]|pescatarian|(?:lactose|gluten)[ -]intolerant|co?eliac|diabeti[ck]|(?:left|right)-handed|married to|born (?:in|on)|geboren|née? (?:à|en|le)|nacid[oa] en)(?!\\p{L}))`,
  'iu',
);

/** Changes after which something is true for long, whenever they happened. */
export const LASTING_CHANGE = wholeWords(
  'moved (?:to|in|back|house)',
  'relocated',
  '(?:gave|given|giving) up',
  'quit(?! the meeting)',
  'stopped (?:\\p{L}+ing|using)',
  'switched (?:to|from|over)',
  'became',
  'got (?:married|engaged|divorced|a dog|a cat|the (?:\\p{L}+ ){0,3}(?:job|post|position))',
  'born',
  'grew up',
  'retired',
  'graduated',
  'started (?:working|learning|as)',
  'no longer',
  'adopted',
  'umgezogen|aufgehört|aufgegeben|geheiratet|verheiratet|geboren|aufgewachsen|umgestiegen|nicht mehr',
  'déménagé|emménagé|arrêté|née?|mariée?|devenue?|ne [^.]* plus',
  'mudé|mudado|dejado|dejé|nací|casé|ya no',
  'trasferit[oa]|smesso|nat[oa]|sposat[oa]|non [^.]* più',
  'mudei|parei|deixei|nasci|casei|já não',
  'verhuisd|gestopt|getrouwd|niet meer',
);

/** The writer in any case: "me", "my". */
export const SELF = wholeWords(
  "I|I['’]\\p{L}+|me|my|mine",
  'ich|mir|mich|mein(?:e|er|em|en|es)?',
  "je|j['’]\\p{L}+|moi|mon|ma|mes",
  'yo|mi|mis|mí|me',
  'io|mio|mia|miei|mie',
  'eu|meu|minha|meus|minhas|mim',
  'ik|mij|mijn',
  'mój|moja|moje|mnie|mną|mi',
);

/** "My", "mein" and so on at the beginning, before what the writer has. */
export const MY =
  '(?:my|mein(?:e|er)?|mon|ma|mes|m[iy]s?|(?:il |la |i |le )?(?:mio|mia|miei|mie)|(?:o |a |os |as )?(?:meu|minha|meus|minhas)|mijn|mój|moja|moje)';

/** What somebody's thing or quality is: after "my …" or "User's …". */
export const COPULA = wholeWords(
  "is|are|isn['’]t|has|needs?|goes|runs|costs|comes|stands",
  'ist|sind|hat|hei(?:ß|ss)t',
  "est|sont|a|s['’]appelle",
  'es|son|tiene|se llama',
  'è|sono|ha|si chiama',
  'é|são|tem|chama-se',
  'zijn|heeft|heet',
  'to|jest',
);

/** Persons whose own affairs are not facts about the user; their names are. */
export const PERSON = wholeWords(
  'm(?:o|u)ther|mum|mom|dad|father|parents?|sister|brother|siblings?|wife|husband|partner|girlfriend|boyfriend|fianc[eé]e?|son|daughter|kids?|child(?:ren)?|baby|grand\\p{L}+|aunt|uncle|cousin|niece|nephew|friend|boss|manager|colleague|co-?worker|teammate|neighbou?r|flatmate|roommate|landlord|landlady|doctor|dentist|therapist|coach|trainer|teacher|in-laws?',
  'Mutter|Vater|Mama|Papa|Eltern|Schwester|Bruder|Geschwister|Frau|Mann|Sohn|Tochter|Kind(?:er)?|Oma|Opa|Tante|Onkel|Cousine?|Nichte|Neffe|Freund(?:in)?|Chef(?:in)?|Kolleg(?:e|in)|Nachbar(?:in)?|\\p{L}*arzt|\\p{L}*ärztin|Lehrer(?:in)?',
  'mère|père|parents|sœur|soeur|frère|femme|mari|copine|copain|fils|fille|enfants?|tante|oncle|cousine?|amie?|chef|patronne?|collègue|voisine?|médecin|dentiste',
  'madre|padre|padres|hermanas?|hermanos?|mujer|marido|novi[oa]|hij[oa]s?|abuel[oa]s?|tí[oa]|prim[oa]|amig[oa]s?|jef[ea]|compañer[oa]s?|vecin[oa]|médic[oa]',
  'genitori|sorella|fratello|moglie|marito|ragazz[oa]|figli[oae]?|nonn[oa]|zi[oa]|cugin[oa]|amic[oa]|capo|collega|vicin[oa]|medico',
  'mãe|pai|pais|irmã|irmão|esposa|namorad[oa]|filh[oa]s?|av[óô]|ti[oa]|chefe|vizinh[oa]',
  'moeder|vader|ouders|zus|broer|vrouw|man|vriend(?:in)?|zoon|dochter|kinderen|baas|collega|buur(?:man|vrouw)|huisarts|tandarts',
);

/** Wishes to whoever answers the user. */
export const INSTRUCTION = new RegExp(
  [
    "^(?:please[,:]? |always |never |don['’]t |do not |no more |stop |only |from now on,? )+(?:\\p{L}+ly )?(?:answer|repl(?:y|ies)|respond|writ(?:e|ing)|us(?:e|ing)|giv(?:e|ing)|send(?:ing)?|show(?:ing)?|explain(?:ing)?|suggest(?:ing)?|recommend(?:ing)?|call(?:s|ing)?|plan(?:ning)?|address|format|include|book(?:ing)?|speak|talk|remind(?:ing)?|ask(?:ing)?|assume|put|keep|skip|schedul(?:e|ing)|arrang(?:e|ing)|e-?mails?|text|emoji)(?!\\p{L})",
    '^keep (?:your|the|all|it|answers|replies)(?!\\p{L})',
    '^(?:answer|reply|respond|write|talk|speak)(?: to)? ?(?:me )?(?:only |always )?(?:in|with|as) ',
    '^(?:book|send|give|show|write|wake|put|plan) (?:\\p{L}+ ){0,3}me (?=.*(?<!\\p{L})(?:always|never|only|whatever|instead|rather|any ?more|no more|from now on|not)(?!\\p{L}))',
    '(?<!\\p{L})(?:please|no) [^.!?]*(?<!\\p{L})(?:for me|to me|my)(?!\\p{L})',
    '^(?:(?:bitte )?(?:antworte|schreib|nenn|sprich|erklär)\\p{L}*|bitte (?:immer|nie|keine?n?|nur))(?!\\p{L})',
    "^(?:s['’]il (?:te|vous) pla[iî]t,? )?(?:réponds|répondez|écris|écrivez|appelle-moi|appelez-moi)(?!\\p{L})",
    '^(?:por favor,? )?(?:responde|contesta|escr[ií]be(?:me)?|llámame|responda|escreva|chama-me|chame-me)(?!\\p{L})',
    '^(?:per favore,? )?(?:rispondi(?:mi)?|scrivi(?:mi)?|chiamami)(?!\\p{L})',
    '^(?:graag |alsjeblieft )(?:in|altijd|geen)(?!\\p{L})|^(?:antwoord|schrijf|noem me)(?!\\p{L})',
    'お願いします|してください|してほしい|書いてほしい|希望',
  ].join('|'),
  'iu',
);

/** "Call me Mia": with a capital, since "call me tomorrow" is a request. */
export const CALL_ME = /(?<!\p{L})[Cc]all me \p{Lu}\p{L}+/u;

/** What is said of a subject in Japanese or Chinese. */
export const EAST_ASIAN_STATE =
  /(?:です|だ$|好き|嫌い|苦手|得意|住んで|働いて|勤めて|アレルギー|使って|飲みません|食べません|飲まない|食べない|話せ|話します|趣味|派|希望|なし|ほしい|喜欢|喜歡|爱|讨厌|討厭|不吃|不喝|住在|工作|是|过敏|過敏|偏好|习惯|习慣|会说|會說|叫|养|用)/u;
/** The writer, or what notes call the user, as the topic. */
export const EAST_ASIAN_SELF =
  /^(?:私|僕|俺|わたし|ぼく|自分|ユーザー)(?:は|が|には|の(?![父母兄姉弟妹妻夫友娘]|息子|同僚|上司))|^(?:我(?!们|們|的?(?:姐|妹|哥|弟|妈|媽|爸|父|母|妻|丈夫|老公|老婆|儿子|女儿|朋友|同事|老板))|用户|使用者)/u;
