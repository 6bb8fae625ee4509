/** English words that ask for more than one thing. The patterns match folded text without its quoted names. */

/** Kinds of place in an organisation, in the singular and in the plural. */
export const placeKinds = {
  company: { one: /\b(?:company|enterprise)\b/, several: /\b(?:companies|enterprises)\b|\bcompany-?wide\b/ },
  org: {
    one: /\b(?:org|organi[sz]ation|department|division)\b/,
    several: /\b(?:orgs|organi[sz]ations|departments|divisions)\b|\borg(?:ani[sz]ation)?-?wide\b/,
  },
  team: { one: /\b(?:team|squad)\b/, several: /\b(?:teams|squads)\b/ },
  project: { one: /\b(?:project|repository)\b/, several: /\b(?:projects|repositories)\b/ },
} as const;

export type PlaceKind = keyof typeof placeKinds;

/** Asks for all of something. */
export const wholes =
  /\b(?:all|every|each|everything|everyone|everywhere|across|throughout|among|overall|summari[sz]e|summary|overview|aggregate|list|enumerate|collect|gather|any and all|as a whole|in total|how many|trends?|common|recurring)\b/;

/** Asks how something came to be: for several states of one thing. */
export const histories =
  /\b(?:evol(?:ve|ved|ves|ving|ution)|histor(?:y|ies|ical)|timeline|over time|over the (?:last|past|years)|trace|chronolog\w*|changes (?:in|to|of|made|since|between)|how (?:has|have|did) .{1,60} changed?|developments?|progress(?:ed|ion)?)\b/;

/** `which proposals`, `what enhancements has`: the answer is a list. `what` needs a verb after the noun, to exclude `what causes`. */
export const severalAsked =
  /(?:^|[.!?;,]\s*)(?:and |so |but )?(?:(?:in|on|by|for) )?(?:which|whose|what other)(?: [\p{L}\p{N}.@/-]+){0,3}? (?!(?:this|his|its|has|was|is|does|as|us|process|status|class|address|access)\b)[\p{L}-]{2,}[^s\W]s\b|(?:^|[.!?;,]\s*)(?:what|who) (?:depends|builds|relies|requires|replaces|supersedes|extends) |\bwhat(?: [\p{L}\p{N}.@/-]+){0,3}? (?!(?:this|his|its|has|was|is|does|as|us|process|status|class|address|access)\b)[\p{L}-]{2,}[^s\W]s (?:do|does|did|have|has|had|are|were|can|could|will|would|should|might|may)\b/u;

/** `accepted proposals on packaging for 3.12`: begins with a plural noun and a preposition that narrows it. */
export const severalHeaded =
  /^(?:[\p{L}\p{N}@-]+ ){0,2}(?!(?:this|his|its|has|was|is|does|as|us|process|status|class|address|access)\b)[\p{L}-]{2,}[^s\W]s (?:in|on|of|by|for|from|about|since|before|after|with|owned)\b/u;

/** Compares things. */
export const comparisons =
  /\b(?:compar(?:e|es|ed|ing|ison|isons)|versus|vs\.?|differ|differs|differences?|differing|(?:dis)?agree(?:s|ment)? (?:on|about|over)|distinguish\w*|contrast\w*|similarit(?:y|ies)|in common|side by side|as opposed to|rather than each other|better than|worse than|trade-?offs?)(?![\p{L}])/u;

const polite =
  'please |can you |could you |would you |will you |kindly |i (?:want|need|would like) (?:you )?to (?:know|see|understand) |tell me |show |give |get |find |list |name |enumerate |summari[sz]e |compare |contrast |describe |explain |outline |collect |gather |trace |analy[sz]e |review |search |look up ';
const asking =
  'what |whats |which |who |whose |whom |where |when |why |how |in which |in what |on which |for which |by whom |do |does |did |is |are |was |were |has |have |any ';
const greeting = '(?:and |so |but |hi |hello |hey )?';

/** Begins a request, in the imperative or politely. */
export const imperatives = new RegExp(`(?:^|[.!?;:,\\n]\\s*)${greeting}(?:${polite})`);

/** Begins a question, with or without a question mark. */
export const interrogatives = new RegExp(`(?:^|[.!?;\\n]\\s*)${greeting}(?:${asking})`);

/** Begins a request for a list or a summary. */
export const listRequests =
  /(?:^|[.!?;:,\n]\s*)(?:please |can you |could you |would you )?(?:list|enumerate|summari[sz]e|compare|contrast|find|show|give|get|collect|gather|trace|outline|review|analy[sz]e)\b/;

/** Narrows what is asked for: a time, an order, an owner, a state. */
export const conditions =
  /\b(?:since|before|after|until|between|during|as of|or later|or earlier|or newer|or older|at least|at most|owned by|authored by|written by|created by|with status|related to|last (?:week|month|quarter|year)|this (?:week|month|quarter|year)|recent(?:ly)?|latest|yesterday|today)\b/g;

/** Names something by letters and a number, a version, a year or a handle: `EIP-1559`, `v1.33`, `2024`, `@ada`. */
export const references =
  /\b\p{L}{2,40}-\d+\b|\bv?\d+(?:\.\d+)+\b|\b(?:19|20)\d\d\b|(?<![\p{L}\p{N}])@[\p{L}\p{N}_-]+/gu;

/** Joins the things that are asked about. */
export const coordinations =
  /\b(?:and|or|versus|vs|with those|as well as|both|either|differs? from)\b|[,;] /g;

/** A name in quotation marks or parentheses: it says what is asked about, not how. */
export const quoted = /"[^"\n]{1,300}"|“[^”\n]{1,300}”|«[^»\n]{1,300}»|`[^`\n]{1,300}`|\([^()\n]{1,300}\)/g;
