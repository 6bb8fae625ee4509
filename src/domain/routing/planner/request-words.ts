// The English words that say what is asked for and how, not what the answers are about.

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** They ask for things side by side. */
export const COMPARING = set('compare compares compared comparison difference differences differ versus vs');

/** Whether a request sets things side by side; "contrast" does where it begins one. */
export function compares(words: readonly string[]): boolean {
  return words[0] === 'contrast' || words.some((word) => COMPARING.has(word));
}

/** They ask for an order that covers the subject. */
export const SUMMARIZING = set('summarize summarise summary overview recap');

/** What a request begins with. */
export const ASKING = set(
  'list find show give tell get search collect gather trace enumerate describe explain what which who how where when compare contrast ' +
    'summarize summarise summary overview recap all every everything anything in difference',
);

/** Words of the request itself, beyond the stop words: nothing that an answer would say. */
export const FRAMING = new Set([
  ...COMPARING,
  ...SUMMARIZING,
  ...set(
    'list find show give tell collect gather trace enumerate describe explain every everything anything across different various',
  ),
]);

/** "how A and B approach C": C is what the answers are about. By stem. */
export const DEALING = set('approach handl treat address tackl');

/** What follows them is the subject. */
export const ABOUT = set('about regarding concerning');

/** They end a subject. */
export const PREPOSITIONS = set(
  'across in of by from for since before after until between with within under over',
);

/** Singular, and yet all of it: "across the company". */
export const WHOLES = set('company organization organisation enterprise board');

/** "across all teams": that everything is meant. */
export const BREADTH = set('all the different various several every our');

export const RELATED = /^(?:relat|replac|link|supersed|refer|connect|depend)/;
export const HISTORY = /^(?:chang|histor|evol|timelin)/;

/** Before a value: from it on, after it, up to it, before it. */
export const LOWER = { inclusive: set('since starting'), exclusive: set('after newer beyond') } as const;
export const UPPER = {
  inclusive: set('until till through by'),
  exclusive: set('before older earlier prior'),
} as const;

/** Before a quantity, and before a version: the same. */
export const ABOVE = set('above exceeding');
export const BELOW = set('below');

/** "1.31 or later", "2.0 and older". */
export const OR_LATER = set('later newer above higher after onwards up');
export const OR_EARLIER = set('earlier older below lower before');
/** "30 or more". */
export const OR_MORE = set('more greater over');
export const OR_LESS = set('less fewer under');

/** The value after them is not wanted. */
export const NEGATING = set(
  'not no never without except excepting exclude excludes excluding besides non neither nor none nothing nobody cannot ' +
    'lack lacks lacking minus barring outside dont isnt arent doesnt wasnt werent didnt',
);
/** The same in two words. */
export const NEGATING_PAIRS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['other', set('than')],
  ['rather', set('than')],
  ['apart', set('from')],
  ['aside', set('from')],
  ['different', set('from than')],
  ['instead', set('of')],
]);
/** Between a negation and the value that it is about: "not yet owned by any of". */
export const LINKING = set(
  'a an the any those these that ones one in of by from for to with at on than during under within is are was were be been being ' +
    'do does did have has had yet ever belong belongs belonging owned written made created assigned tagged marked labelled labeled',
);
/** "all but". */
export const ALL = set('all every everything everyone each any anything');

/** Before a time that is meant as a condition: "in 2024". */
export const DURING = set('in during of from for');
