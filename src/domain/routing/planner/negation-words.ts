// English words that exclude something, and words that may stand between them and what they exclude.

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Words that exclude the value after them. */
export const NEGATING = set(
  'not no never without except excepting exclude excludes excluding besides non neither nor none nothing nobody nowhere cannot ' +
    'lack lacks lacking minus barring outside unlike sans excl omit omitting omits ignore ignoring ignores skip skipping skips ' +
    'unrelated independent dont isnt arent doesnt wasnt werent didnt wont cant couldnt wouldnt shouldnt hasnt havent hadnt aint',
);
/** Pairs of words that do the same. */
export const NEGATING_PAIRS: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['other', set('than')],
  ['else', set('than but except')],
  ['rather', set('than')],
  ['apart', set('from')],
  ['aside', set('from')],
  ['different', set('from than')],
  ['instead', set('of')],
  ['save', set('for')],
  ['exception', set('of being')],
  ['opposed', set('to')],
  ['leaving', set('out')],
  ['leave', set('out')],
]);
/** After "not" or "no" these words do not negate what follows. */
export const NOT_EXCLUDING = set('only just merely simply solely exclusively matter doubt wonder problem');
/** Words that say that the value after them applied once and no longer does. */
export const FORMER = set('formerly previously former');
/** "2024 excluded". */
export const EXCLUDED = set('excluded excepted aside omitted exempted');
/** With these words, "but" and "except" leave only the value: "nobody but", "no team except". */
export const NOTHING = set('no none nothing nobody neither nowhere');

/** Nouns for those who own, make or use things. They stand beside their names: "the web team". */
export const PARTY_NOUNS = set(
  'team teams squad squads group groups department departments org orgs organization organisation company unit units crew people ' +
    'folks staff member members side anyone anybody someone somebody everyone person party owner owners',
);
/** Words that may stand between a negation and its value: "not yet owned by any of". */
export const LINKING = new Set([
  ...PARTY_NOUNS,
  ...set(
    'a an the any those these that which who whose ones one in of by from for to with at on than during under within out is are was ' +
      'were be been being do does did have has had yet ever longer more anymore counting including currently part ' +
      'belong belongs belonging owned owning written made created assigned tagged marked labelled labeled maintained managed ' +
      'operated run held kept led handled built developed responsible charge accountable responsibility as',
  ),
]);
/** Stems of verbs and nouns that say whose something is. */
export const OWNING = set(
  'own owner maintain manag oper run hold keep lead belong respons charg account control possess steward administ have has had ' +
    'contain includ handl',
);
/** Words before "but" that make it mean "except": "all but". */
export const ALL = set(
  'all every everything everyone everybody everywhere each any anything anyone anybody anywhere whoever whichever',
);

/** Verbs between a subject and "not". The parts before "n't" are words of their own here. */
export const AUXILIARY = set(
  'do does did is are was were has have had will would can could should shall may might must being been be ' +
    'don doesn didn isn aren wasn weren hasn haven hadn won wouldn couldn shouldn mustn needn ain',
);
/** Adverbs between a subject and its verb. */
export const ADVERB = set(
  'currently still actually also yet ever really itself themselves now usually normally',
);
/** Verbs that negate the one after them: "that api stopped maintaining". */
export const ENDING = set(
  'stop stops stopped cease ceases ceased refuse refuses refused quit quits decline declined',
);
/** Verbs that say that their subject no longer has something: "that api gave up". */
export const DISOWNING = set('gave handed dropped abandoned relinquished disowned transferred lost');
/** Words after a predicate that begin another phrase: "does not own in Europe", "does not own and that are active". */
export const AFTER_PREDICATE = set(
  'in on at since before after during until and or but which who where when',
);
/** Words right before a value that make it the object of a phrase, and not the subject of the verb after it. */
export const BEFORE_OBJECT = set(
  'by of in from for to with at on under within across via through about than as like without except excluding between and or nor',
);
export const DETERMINER = set('the a an our my your their his her its this every each all both either any');
