// English words that say what is asked for and how, not what the answers are about.

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that ask for a comparison. */
export const COMPARING = set('compare compares compared comparison difference differences differ versus vs');

/** Whether a request compares things. "contrast" counts only as its first word. */
export function compares(words: readonly string[]): boolean {
  return words[0] === 'contrast' || words.some((word) => COMPARING.has(word));
}

/** Words that ask for results that cover the subject. */
export const SUMMARIZING = set('summarize summarise summary overview recap');

/** Words that a request begins with. */
export const ASKING = set(
  'list find show give tell get search collect gather trace enumerate describe explain what which who how where when compare contrast ' +
    'summarize summarise summary overview recap all every everything anything in difference',
);

/** Words of the request itself, in addition to the stop words: no answer would contain them. */
export const FRAMING = new Set([
  ...COMPARING,
  ...SUMMARIZING,
  ...set(
    'list find show give tell collect gather trace enumerate describe explain every everything anything across different various',
  ),
]);

/** Words before the subject. */
export const ABOUT = set('about regarding concerning');

/** Words that end a subject. */
export const PREPOSITIONS = set(
  'across in of by from for since before after until between with within under over',
);

/** Singular nouns that mean all of it: "across the company". */
export const WHOLES = set('company organization organisation enterprise board');

/** Words between a preposition and a noun that mean everything: "across all teams". */
export const BREADTH = set('all the different various several every our');

export const RELATED = /^(?:relat|replac|link|supersed|refer|connect|depend)/;
export const HISTORY = /^(?:chang|histor|evol|timelin)/;

/** Words before a value that make it a lower or upper bound, including the value or not. */
export const LOWER = { inclusive: set('since starting'), exclusive: set('after newer beyond') } as const;
export const UPPER = {
  inclusive: set('until till through by'),
  exclusive: set('before older earlier prior'),
} as const;

/** Exclusive bounds of a quantity or a version. */
export const ABOVE = set('above exceeding');
export const BELOW = set('below');

/** "1.31 or later", "2.0 and older". */
export const OR_LATER = set('later newer above higher after onwards up');
export const OR_EARLIER = set('earlier older below lower before');
/** "30 or more". */
export const OR_MORE = set('more greater over');
export const OR_LESS = set('less fewer under');

/** Words before a time that make it a condition: "in 2024". */
export const DURING = set('in during of from for');
