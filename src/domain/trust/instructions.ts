/**
 * Whether a text addresses the model that will read it as an instruction: prompt injection. The rules name what such texts say to the
 * model ("ignore all previous instructions", "reveal your system prompt"), not imperatives as such, so that recipes, how-tos and
 * guidelines for people are none. What one weak sign leaves open, two different ones decide.
 *
 * Linear in the length of the text: rules look at a window of fixed length after a word that can begin one.
 */
export function addressesModel(content: string): boolean {
  const text = plain(content);
  const found = new Set<Rule>();
  for (const { 0: beginning, index } of text.matchAll(beginnings)) {
    const window = text.slice(index, index + windowLength);
    for (const rule of rulesFor(beginning)) {
      if (found.has(rule) || !rule.says.test(window)) continue;
      found.add(rule);
      if (rule.isStrong || found.size > 1) return true;
    }
  }
  return false;
}

/** UTF-16 units that a rule looks at. */
const windowLength = 200;

interface Rule {
  /** Finds the places where `says` may match. It matches few texts, all of them short. */
  readonly begins: string;
  /** Matches from the beginning of the window; its repetitions are bounded. */
  readonly says: RegExp;
  /** Whether it decides by itself. */
  readonly isStrong: boolean;
}

const strong = (begins: string, says: string): Rule => rule(begins, says, true);
const weak = (begins: string, says: string): Rule => rule(begins, says, false);
const rule = (begins: string, says: string, isStrong: boolean): Rule => ({
  begins,
  says: new RegExp(`^(?:${says})`, 'u'),
  isStrong,
});

/** Up to so many words between two parts of a rule. */
const words = (most: number): string => `(?:[^\\s.!?]{1,30} ){0,${most}}`;

const models =
  '(?:ai|a\\.i\\.|llms?|language models?|chatbots?|chatgpt|gpt|claude|gemini|copilot)(?: (?:assistants?|agents?|models?|systems?))?';

const rules: readonly Rule[] = [
  // English. "on the package" and the like: instructions that people read.
  strong(
    '(?:ignore|disregard|forget|override|bypass) ',
    `\\w+ (?:(?:all|any|every|each|of|the|your|my|these|those|and) ){0,4}(?:(?:previous|prior|earlier|preceding|above|foregoing|existing|original|initial|system|safety)(?: and | or |, | )){1,3}(?:instructions?|prompts?|directives?|guidelines)\\b(?! (?:on|in|from|of|for) (?:the|your|this) (?:package|packet|packaging|box|label|can|bag|bottle|tin|leaflet|manual|recipe))`,
  ),
  strong(
    '(?:ignore|disregard|forget|override|bypass) ',
    '\\w+ (?:all |any |everything in |every one of )?(?:of )?your (?:\\w{1,20} )?(?:instructions?|prompts?|directives?|guidelines|programming|rules)',
  ),
  strong(
    '(?:ignore|disregard|forget) ',
    "\\w+ (?:everything|anything|all)(?: that)? (?:i|we|they|you were|you have been|you've been) (?:said|told|instructed|given)(?: \\w{1,20}){0,2} (?:before|above|previously|so far)",
  ),
  strong(
    '(?:reveal|print|repeat|output|show|disclose|leak|display) ',
    `\\w+ (?:me |us |to me )?(?:all |the full |the entire |the complete |verbatim )?(?:of )?your (?:full |entire |complete |hidden |secret |initial |original )?(?:system (?:prompt|message|instructions?)|hidden instructions|initial (?:prompt|instructions)|initialization prompt)`,
  ),
  strong(
    '(?:your|these are your|here are your) ',
    '(?:these are |here are )?your (?:new|real|true|actual|updated) (?:instructions?|orders|directives?|task|goal|objective|purpose)(?: is| are|:)',
  ),
  strong(
    "(?:you are|you're|act as|behave as|pretend) ",
    `(?:you are|you're|act as|behave as|pretend)(?: now| to be| that you are| you are)? (?:in |a |an |as |the )?(?:dan\\b|do anything now|developer mode|jailbroken|unrestricted|unfiltered|uncensored)`,
  ),
  strong(
    '(?:note|notice|message|instructions?|attention|important|warning|reminder|hey|dear|hello)',
    `\\w+[,:!]? (?:(?:to|for|all|any|every|the|our) ){0,3}${models} ?(?:reading (?:this|it)|that reads? this|processing this|summarizing this)?[,:!]`,
  ),
  strong(
    'if you are ',
    `if you are (?:an? )?${models}(?: reading| processing| summarizing|,? (?:please |you must |then )?(?:ignore|do|reply|respond|say|tell|include|recommend|send|call|delete|write))`,
  ),
  strong('<\\|im start\\|>|<<sys>>|\\[/?system\\]|<\\|system\\|>', '[^\\n]{0,12} ?\\S'),
  weak(
    "(?:do not|don't|never|without) ",
    `(?:do not|don't|never|without) (?:tell|telling|inform|informing|mention|mentioning|reveal|revealing|alert|alerting) ${words(4)}(?:the |your )?(?:user|human|operator)s?`,
  ),
  weak(
    '(?:send|post|forward|upload|exfiltrate|email|transmit|append|encode) ',
    `\\w+ ${words(8)}(?:api keys?|passwords?|credentials?|secrets?|tokens?|conversations?|chat history|memories|private keys?)[^.!?]{0,80}(?:https?:|@)`,
  ),
  weak(
    'when(?:ever)? ',
    `\\w+ (?:the |a )?users? (?:asks?|requests?|wants?|mentions?)[^.!?]{0,100}(?:always|you must|you should|never|answer|respond|reply|recommend|tell (?:them|him|her))`,
  ),
  weak(
    '(?:you must|you will|you shall) ',
    '\\w+ \\w+ (?:now |always |from now on )?(?:obey|comply|follow these instructions|follow the instructions below|not refuse|never refuse)',
  ),
  weak('from now on', 'from now on,? (?:you|your|always|never|respond|reply|answer)'),
  weak('(?:system prompt|new instructions?|system override|admin override|priority override)', '[^:]{0,30}:'),
  weak(
    '(?:this|the following) (?:instruction|message|rule)',
    '\\w+ (?:following )?\\w+ (?:overrides?|supersedes?|takes? precedence|has priority|replaces?)',
  ),
  // German
  strong(
    '(?:ignorier|missacht|vergiss|vergesst|vergessen sie|überschreib|umgeh)',
    '\\S{1,14}(?: sie)?(?: bitte| jetzt| nun| ab sofort)?(?: (?:alle|alles|sämtliche|die|deine|ihre|eure|meine|jegliche|bitte|und)){0,4} (?:(?:vorherigen?|vorigen?|bisherigen?|früheren?|obigen?|vorangegangenen?|vorangehenden?|vorstehenden?|bestehenden?|ursprünglichen?)(?: und | oder |, | )){1,3}(?:anweisung|instruktion|befehl|vorgabe|prompt|nachricht|system)(?!\\S{0,6} (?:auf|in) (?:der|dem|dieser|diesem) (?:packung|verpackung|schachtel|etikett|flasche|dose|beipackzettel|rezept))',
  ),
  strong(
    '(?:ignorier|missacht|vergiss|vergessen sie|überschreib|umgeh)',
    '\\S{1,14}(?: sie)?(?: alle| sämtliche)? (?:deine|eure) (?:\\S{1,20} )?(?:anweisungen|instruktionen|befehle|vorgaben|regeln|programmierung|sicherheitsregeln)',
  ),
  strong(
    '(?:gib|zeig|nenn|verrat|wiederhol)',
    '\\S{1,10}(?: \\S{1,12}){0,3} (?:deinen|deine|den|die) (?:\\S{1,20} )?(?:system-?prompt|systemanweisung|systemnachricht)',
  ),
  strong(
    '(?:hinweis|nachricht|anweisung|achtung|wichtig|botschaft)',
    '\\S{1,12}[,:!]? (?:(?:an|für|alle|jede|die|das|den) ){0,3}(?:kis?|ki-(?:assistent|agent|modell|system)\\S{0,4}|llms?|sprachmodelle?|chatbots?)(?: liest| die dies lesen)?[,:!]',
  ),
  weak(
    '(?:sag|erzähl|verrat|informier|teil)',
    '\\S{1,10}(?: \\S{1,14}){0,4} (?:dem|den|der) (?:nutzer|benutzer|anwender)\\S{0,4}(?: \\S{1,14}){0,3} (?:nichts|nicht)',
  ),
  weak(
    '(?:ab sofort|ab jetzt|von nun an)',
    '\\S+ \\S+(?: an)? (?:bist|musst|wirst|antwortest|sollst|empfiehlst) (?:du|nur|immer)',
  ),
  weak('(?:neue anweisung|neuer system-?prompt|systemprompt)', '[^:]{0,30}:'),
  weak(
    'wenn (?:der|ein|die) (?:nutzer|benutzer|anwender)',
    '[^.!?]{0,120}(?:antworte|empfiehl|nenne|musst du|behaupte)',
  ),
  // French, Spanish, Italian, Portuguese, Dutch
  strong(
    '(?:ignore|oublie|ne (?:tiens|tenez) pas compte de)',
    '\\S{2,10}(?: \\S{2,6} pas compte de| de)?(?: toutes| tous)? (?:les|tes|vos|des) (?:instructions|consignes|directives|règles|messages)(?: \\S{1,12})? (?:précédent|antérieur|ci-dessus|du système|système)',
  ),
  strong(
    '(?:ignor|olvid|haz caso omiso de)',
    '\\S{3,10}(?: caso omiso de)?(?: todas| todos)? (?:las|los|tus|sus) (?:instrucciones|órdenes|reglas|indicaciones|mensajes)(?: \\S{1,12})? (?:anteriores|previ[ao]s|precedentes|del sistema)',
  ),
  strong(
    '(?:ignor|dimentic|trascur)',
    '\\S{5,12}(?: tutte| tutti)? (?:le|i|gli)(?: tue| vostre)? (?:istruzioni|regole|indicazioni|direttive)(?: \\S{1,12})? (?:precedenti|di sistema|sopra)',
  ),
  strong(
    '(?:ignore|esqueça|desconsidere)',
    '\\S{4,14}(?: todas| todos)?(?: as| os)?(?: suas| seus)? (?:instruções|regras|ordens|diretrizes)(?: \\S{1,12})? (?:anteriores|prévias|acima|do sistema)',
  ),
  strong(
    '(?:negeer|vergeet) ',
    '\\S{1,8}(?: alle)?(?: de| je| jouw| uw)? (?:vorige|eerdere|voorgaande|bovenstaande) (?:instructies|opdrachten|regels|berichten|prompts?)',
  ),
  // Russian, Chinese, Japanese, Korean
  strong(
    '(?:игнорируй|проигнорируй|забудь)',
    '\\S{1,16}(?: все)?(?: твои)? (?:предыдущие|прежние|предшествующие|вышеуказанные) (?:инструкции|указания|команды|правила|сообщения)',
  ),
  strong(
    '(?:忽略|无视|忘记|忽視|無視|忘掉)',
    '..(?:你|您)?(?:的)?(?:之前|以上|前面|先前|上述|此前|所有|一切|全部|的|你|您|系统|系統){1,6}(?:指令|指示|提示|规则|規則|命令|提示词)',
  ),
  strong(
    '(?:これまで|以前|上記|前|今まで)の',
    '\\S{0,5}の(?:すべての|全ての|全)?(?:指示|命令|プロンプト|ルール)(?:を|は)(?:すべて|全て)?(?:無視|忘れ)',
  ),
  strong(
    '(?:이전|위의|앞선|지금까지의)',
    '\\S{1,5} ?(?:모든 )?(?:지시|명령|프롬프트|지침)\\S{0,4} (?:모두 )?(?:무시|잊)',
  ),
];

const beginnings = new RegExp(rules.map(({ begins }) => begins).join('|'), 'gu');
const byBeginning = new Map<string, readonly Rule[]>();

/** The rules that a beginning is of; there are few different ones. */
function rulesFor(beginning: string): readonly Rule[] {
  let own = byBeginning.get(beginning);
  if (!own) {
    own = rules.filter(({ begins }) => new RegExp(`^(?:${begins})`, 'u').test(beginning));
    byBeginning.set(beginning, own);
  }
  return own;
}

/** The text without what hides words: case, other forms of letters, invisible characters, and runs of white space. */
function plain(content: string): string {
  const visible = isAscii(content)
    ? content
    : content.normalize('NFKC').replace(/[\u00AD\u200B-\u200F\u2060-\u2064\uFEFF\u{E0000}-\u{E007F}]/gu, '');
  return visible
    .toLowerCase()
    .replace(/[\s*_`]+/gu, ' ')
    .replace(/’/gu, "'");
}

function isAscii(text: string): boolean {
  // eslint-disable-next-line no-control-regex
  return /^[\u0000-\u007F]*$/u.test(text);
}
