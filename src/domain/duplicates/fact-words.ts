const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/**
 * Words that carry no fact by themselves: articles, pronouns for things, auxiliary and light verbs, and prepositions of place and time
 * that wordings exchange freely. Other words of this kind ("not", "only", "before") are `DECISIVE`.
 */
export const EMPTY_WORDS = set(`
  a an the this that these those such there here it its they them their we us our you your yours which who whose whom what as so also then too
  is are was were be been being am do does did done doing has have had having get gets got gotten getting give gives gave given giving
  make makes made making take takes took taken taking go goes went gone going put puts
  of and or while via because therefore thus due please note when if where one ones like just well
  der die das den dem des ein eine einen einem einer eines dieser diese dieses ist sind war waren wird werden wurde wurden hat haben
  hatte und oder des zu zum zur bei um an es sie wir uns wenn da weil denn dass so auch je
`);

/**
 * Words that decide what a text says although they are short: by what they mean, so that other wordings of the same count as equal. Both
 * texts must have the same ones.
 */
const decisive = {
  not: "not no never none nobody nothing neither nor cannot n't without unless except lacks lack nicht kein keine keinen keinem keiner nie niemals ohne weder außer",
  will: 'will shall would wird werde würde',
  must: 'must need needs shall required muss müssen',
  may: 'may might can could allowed permitted darf dürfen kann können',
  should: 'should ought soll sollte sollen',
  only: 'only solely exclusively nur ausschließlich',
  all: 'all every each always everybody everyone everything alle jeder jede jedes jeden immer',
  some: 'some any sometimes partly einige manche manchmal',
  most: 'most mostly mainly usually meist meistens',
  almost: 'almost nearly about approximately roughly around circa fast etwa ungefähr',
  half: 'half halb halbe halben',
  first: 'first erste ersten erster erstes',
  last: 'last letzte letzten letzter letztes',
  before: 'before prior vor bevor vorher',
  after: 'after afterwards nach nachdem nachher danach',
  above: 'above over über oberhalb',
  below: 'below under beneath unter unterhalb',
  more: 'more mehr',
  less: 'less fewer weniger',
  least: 'least mindestens wenigstens',
  again: 'again anew wieder erneut',
  by: 'by durch',
  up: 'up',
  out: 'out',
} as const;

/** The meaning of each decisive word. */
export const DECISIVE: ReadonlyMap<string, string> = new Map(
  Object.entries(decisive).flatMap(([meaning, words]) => words.split(' ').map((word) => [word, meaning])),
);

/** Prepositions by what they mean. A wording may leave one out; two different ones before the same word are two facts. */
export const PREPOSITIONS: ReadonlyMap<string, string> = new Map(
  [
    'from von vom',
    'to until till bis',
    'in im into',
    'at',
    'on onto upon am auf',
    'for für',
    'by durch',
    'with mit',
    'since seit',
    'within',
    'during',
    'through',
    'per',
    'about',
  ].flatMap((words) => words.split(' ').map((word, _, all) => [word, all[0]!])),
);

/** What tells the time of a sentence in which no other verb does. */
export const PRESENT = set('am is are has have do does ist sind hat haben wird werden');
export const PAST = set('was were had did war waren hatte hatten wurde wurden');
export const BE_FORMS = set('am is are was were be been being');

/** Pronouns by person: who does something to whom is a fact. "You" may be anybody. */
export const PERSONS: ReadonlyMap<string, string> = new Map(
  ['i me my mine myself', 'he him his himself', 'she her hers herself'].flatMap((forms) =>
    forms.split(' ').map((form) => [form, forms.split(' ')[0]!]),
  ),
);

const units = (words: string, first: number, step: number) =>
  words.split(' ').map((word, index): [string, number] => [word, first + index * step]);

/** Numbers that are written as a word. "One" is not among them: it is often an article. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map([
  ...units(
    'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen',
    2,
    1,
  ),
  ...units('twenty thirty forty fifty sixty seventy eighty ninety', 20, 10),
  ...units('zwei drei vier fünf sechs sieben acht neun zehn elf zwölf', 2, 1),
  ...units('zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig', 20, 10),
  ['zero', 0],
  ['null', 0],
  ['hundert', 100],
  ['tausend', 1_000],
  ['once', 1],
  ['twice', 2],
  ['einmal', 1],
  ['zweimal', 2],
  ...units('second third fourth fifth sixth seventh eighth ninth tenth', 2, 1),
  ...units('zweite dritte vierte fünfte', 2, 1),
  ...units('zweiten dritten vierten fünften', 2, 1),
]);

/** Words that multiply the number before them. */
export const MULTIPLIERS: ReadonlyMap<string, number> = new Map([
  ['hundred', 100],
  ['thousand', 1_000],
  ['million', 1_000_000],
  ['billion', 1_000_000_000],
]);
