import { languageOf } from '../text/language-share.ts';
import { sentencesOf, type Span } from '../text/sentences.ts';
import { wholeWords } from '../text/whole-words.ts';

/** A sentence of a memory. */
export interface Sentence extends Span {
  /** It says something by itself: no heading, no piece of a list or table, no question, no reference to another place. */
  readonly isWhole: boolean;
  /** It begins with "it", "however" and the like, so that it needs the sentence before it. */
  readonly leans: boolean;
  /** It follows the sentence before it in the same line or paragraph. */
  readonly continues: boolean;
}

/** The end of a sentence, with quotation marks and brackets after it. */
const END = /[.!。！．…।؟]["'”’»)\]）」』*_]*$/u;
const QUESTION = /[?？؟]["'”’»)\]*_]*$/u;
/** Marks of lists, quotations and check boxes at the start of a line. */
const ITEM = /^(?:[-*+•·–>]\s+|\d{1,3}[.)]\s+|\[[ xX]\]\s+)+/u;
const HEADING = /^#{1,6}\s|^[=_*~-]{3,}$/u;
/** Tables, code, paths and other things that are no prose. */
const NO_PROSE =
  /\||`{3}|=>|->|<\/?[a-z][^>]*>|\[!|\[\^|\]\(|\[[^\]]*\]|\{|\}|;$|^\$ |^\/\/|[\w)]\(\)|\\\w|https?:\/\/\S+\)?[.]?$|(?:^|\s)--\w|\b(?:TODO|TBD|FIXME|NOTE|N\/A)\b|\p{Extended_Pictographic}/u;

/** What refers to another part of the text, or to another text. */
const REFERENCE = wholeWords(
  'see (?:also|the|our|this|these|below|above|here|for|\\[)|see(?=[.:]$)',
  'refer(?:s|red)? to the (?:\\p{L}+ ){0,5}(?:documentation|docs|guide|page|section|playbook|handbook|table|list)|please (?:refer|read|review|check|reach|contact|note|visit|consult)|check out|read (?:more|the)|click|learn more',
  '(?:listed|described|defined|shown|outlined|mentioned|given|explained|detailed|noted|discussed) (?:above|below|here|earlier|later|previously)|the following|aforementioned|(?:can be )?found (?:at|in|here)',
  'for (?:more|further|additional|full|complete|current) (?:information|details?|help|guidance|context|reading|instructions)|for details|for reference|additional (?:help|information|details)',
  '(?:this|these) (?:(?:short|step-by-step|following|next) )?(?:docs?|documents?|pages?|guides?|sections?|handbooks?|polic(?:y|ies)|files?|chapters?|charters?|articles?|posts?|tables?|lists?|examples?|steps?|proposals?|KEPs?|instructions?|notes?|readmes?|methods?|process|procedure|templates?|artifacts?|changes?|issues?)|the (?:document|page|guide|section|charter)s?',
  'step-by-step guide|refer to|information here|in (?:a|the) (?:later|next|previous) section|[-–] more',
  'here (?:is|are|you)|as follows|table of contents|appendix|e\\.g\\.,? the',
  'siehe|vgl|siehe oben|wie oben|folgende[nrs]?|(?:oben|unten) (?:genannt\\p{L}*|beschrieben\\p{L}*)',
  'voir|ci-dessous|ci-dessus|suivante?s?|véase|ver (?:más|abajo|arriba)|siguientes?|a continuación|vedi|seguenti?|veja|abaixo|acima|zie',
);

/** What says nothing about its matter. */
const BOILERPLATE = new RegExp(
  [
    '^(?:hi|hello|hey|welcome|thanks?|thank you|dear|congrat\\p{L}*|cheers|sorry|ok(?:ay)?|yes|no|great|perfect|hallo|guten|danke|vielen dank|liebe[rs]?|bonjour|merci|hola|gracias|ciao|grazie|olá|obrigad[oa])[,.! ]',
    "(?<!\\p{L})(?:thank you for|feel free|happy to help|let us know|let me know|don['’]t hesitate|if you have (?:any )?(?:questions?|feedback|suggestions?|ideas)|all rights reserved|copyright|licensed under|last updated|good luck|have fun|subscribe|reach out)(?!\\p{L})",
  ].join('|'),
  'iu',
);

/** What needs the sentence before it. */
const LEANING = new RegExp(
  `^(?:${[
    '(?:he|she|it|they|this|that|these|those|such|its|their|his|her|both|neither|another|others?|same|(?:most|some|many|few|none|all|several)(?= (?:are|were|have|had|can|will|of (?:them|these|those))(?!\\p{L}))|the (?:former|latter|same|above|other)|here|there|one of)',
    '(?:however|therefore|thus|hence|also|additionally|in addition|furthermore|moreover|for example|for instance|in other words|in this|in that|in these|in those|in such|at this|at that|with this|with that|with these|for this|for that|for these|to do (?:this|so)|to this|by doing|on the other hand|otherwise|instead|but|and|or|so|then|finally|first(?:ly)?|second(?:ly)?|third(?:ly)?|next|similarly|likewise|as a result|as such|after that|after this|before that|consequently|if so|if not|if (?:it|they|this|that|these|those)|if you (?:have|do|are|want|need|find)|note|nevertheless|still|besides|meanwhile|in the same way|not to be|once (?:this|that|it|you|done)|i\\.e\\.|e\\.g\\.|etc|because|since (?:this|it|that)|while (?:this|it)|other than that)',
    '(?:er|sie|es|das (?:ist|sind|war|wird|hat|geht|gilt|kann)|dies(?:e[mnrs]?)?|dazu|dabei|dafür|damit|dadurch|danach|deshalb|daher|außerdem|jedoch|allerdings|aber|und|oder|zum beispiel|sonst|ebenso)',
    '(?:il|elle|ils|elles|cela|ceci|ça|ce|cette|ces|cet|ainsi|donc|mais|et|de plus|par exemple|en outre|sinon|puis|ensuite)',
    '(?:est[oae]s?|es[oae]s?|él|ellas?|ellos|además|sin embargo|por ejemplo|pero|y|también|así|entonces|luego)',
    '(?:quest[oaie]|ciò|inoltre|tuttavia|però|ma|e|ed|lui|quindi|poi|anche)',
    '(?:iss?o|ele|ela|eles|elas|além disso|porém|mas|também|assim|então)',
    '(?:hij|zij|ze|het (?:is|was|wordt)|deze|dit|dat|daarom|ook|maar|en|bovendien)',
    '(?:これ|それ|また|しかし|そして|そのため|この|その)(?=\\S)',
  ].join('|')})(?!\\p{L})`,
  'iu',
);
const LEANING_JAPANESE = /^(?:これ|それ|また|しかし|そして|そのため|この|その)/u;

/** A sentence whose subject stands in the title or the sentence before it: "Patched the parser.", "Covers all of …", "The goal is …". */
const WITHOUT_SUBJECT =
  /^(?:(?:Covers|Owns|Handles|Provides|Includes|Contains|Supports|Allows|Uses|Means|Does|Makes|Needs|Runs|Gets|Works|Lists|Shows|Defines|Describes)|(?:The|Our|Its) (?:objective|goal|purpose|aim|intent|idea|scope) (?:is|are)|\p{Lu}\p{Ll}+ed(?! [^.]*(?<!\p{L})(?:is|are|was|were|has|have|can|must|should|will|may|does|do)(?!\p{L})))(?!\p{L})/u;
/** "This" and the like with no noun behind it, anywhere: "after taking this on". */
const BARE_THIS =
  /(?<!\p{L})(?:this|these|those)(?= (?:an?|the|is|are|was|were|on|in|to|we|you|can|will|and|or|as|up)(?!\p{L})|[,.;:!?])/iu;
/** Something that was named before: "three such tickets", and in a short sentence "Nobody dares to touch it." */
const NAMED_BEFORE =
  /(?<!\p{L})such (?!as(?!\p{L}))\p{L}|^(?:\S+\s+){1,8}(?:it|them|him|her)[.!]["'”’»)\]]*$/iu;
/** A line about a document rather than about its matter. */
const LABEL =
  /^(?:status|state|date|owner|author|version|priority|type|attendees|participants|datum|autor|teilnehmer|statut|auteur|estado|fecha|stato)\s?[:：]/iu;
/** Steps to follow and asides to the reader of a longer text, and pieces of sentences. */
const INSTRUCTION = new RegExp(
  [
    "^(?:make sure|ensure|keep in mind|navigate|click|run|create|add|edit|use|go|open|select|check|ask|read|clone|update|set|install|contact|remember|consider|try|clearly|follow|download|copy|enter|choose|verify|do not|don['’]t|upon completion|as you|be sure|look|find|make|give|take|get|let|start|review|ping|post|send|submit|write|describe|provide|include|avoid|remove|replace|apply|test|wait|work with|join|visit|imagine|assume|suppose|extract|we['’]re excited|many thanks)(?!\\p{L})",
    '^to \\p{Ll}+(?![^,]*, )|^(?:see|refer) |(?<!\\p{L})(?:above|below)(?!\\p{L})',
    '(?<!\\p{L})please(?!\\p{L})',
    '^[*_]|/ /',
  ].join('|'),
  'iu',
);
/** A verb that a whole sentence has and a piece of a list mostly lacks. */
const FINITE = wholeWords(
  'is|are|was|were|has|have|had|can|could|must|should|will|would|may|might|needs?|do|does|did',
  'ist|sind|war|hat|haben|kann|muss|soll|wird|werden|darf',
  'est|sont|ont|peut|doit|es|está|están|tiene|puede|debe|è|sono|ha|può|deve|é|são|tem|pode|heeft|zijn|kan|moet|wordt',
);

/** Fewer words of a longer text say little by themselves. */
const minWords = 5;

/**
 * The sentences of a memory, list marks left out. A line that ends without a mark and goes on in small letters continues in the next
 * one. A memory of one line may be a note without full stops; in a longer text such a line is a heading or a piece of a list.
 */
export function sentencesToQuote(content: string): readonly Sentence[] {
  const spans = joined(content, sentencesOf(content));
  const isNote = !content.trim().includes('\n');
  const sentences: Sentence[] = [];
  let isInCode = false;
  let isUnderStub = false;
  for (const [at, span] of spans.entries()) {
    const line = content.slice(span.start, span.end);
    const startsLine = at === 0 || content.slice(spans[at - 1]!.end, span.start).includes('\n');
    const isFence = /^(?:`{3}|~{3})/u.test(line);
    if (isFence) isInCode = !isInCode;
    const mark = startsLine ? (ITEM.exec(line)?.[0] ?? '') : '';
    if (startsLine && mark === '') isUnderStub = false;
    const text = line.slice(mark.length);
    // A note begins with what it is about, in whatever words.
    const isStartOfNote = isNote && at === 0;
    const isWhole =
      !isInCode &&
      !isFence &&
      !(mark !== '' && (isUnderStub || /\d/u.test(mark))) &&
      saysSomething(text) &&
      (isNote || (isFinished(text) && !INSTRUCTION.test(text) && (mark === '' || FINITE.test(text))));
    sentences.push({
      start: span.start + mark.length,
      end: span.end,
      isWhole,
      leans: LEANING.test(text) || LEANING_JAPANESE.test(text) || (!isStartOfNote && isIncomplete(text)),
      continues: !startsLine,
    });
    if (/[:：]["*_]*$/u.test(text)) isUnderStub = true;
  }
  return sentences.filter(({ start, end }) => start < end);
}

/** Spans joined where a line was wrapped within a sentence. */
function joined(content: string, spans: readonly Span[]): readonly Span[] {
  const all: Span[] = [];
  for (const span of spans) {
    const last = all.at(-1);
    const gap = last && content.slice(last.end, span.start);
    const isWrapped =
      gap !== undefined &&
      /^[^\S\n]*\n[^\S\n]*$/u.test(gap) &&
      /[\p{L}\p{N},–-]$/u.test(content.slice(last!.start, last!.end)) &&
      /^\p{Ll}/u.test(content.slice(span.start, span.start + 2)) &&
      !HEADING.test(content.slice(last!.start, last!.end));
    if (isWrapped) all[all.length - 1] = { start: last!.start, end: span.end };
    else all.push(span);
  }
  return all;
}

function saysSomething(text: string): boolean {
  return (
    !HEADING.test(text) &&
    !LABEL.test(text) &&
    !QUESTION.test(text) &&
    !/[:：]["*_]*$/u.test(text) &&
    !NO_PROSE.test(text) &&
    !REFERENCE.test(text) &&
    !BOILERPLATE.test(text) &&
    isBalanced(text)
  );
}

/** A sentence with its end, enough words, and a beginning. */
function isFinished(text: string): boolean {
  if (!END.test(text) || /^[\p{Ll}(]/u.test(text)) return false;
  const isSpaced = !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(text);
  return isSpaced ? text.split(/\s+/u).length >= minWords : text.length >= 2 * minWords;
}

/** A piece of a longer text that means little by itself. */
function isIncomplete(text: string): boolean {
  return BARE_THIS.test(text) || WITHOUT_SUBJECT.test(text) || NAMED_BEFORE.test(text) || !isFinished(text);
}

function isBalanced(text: string): boolean {
  const count = (mark: string) => text.split(mark).length - 1;
  return (
    count('(') === count(')') &&
    count('[') === count(']') &&
    count('“') === count('”') &&
    count('"') % 2 === 0 &&
    count('`') % 2 === 0 &&
    count('**') % 2 === 0
  );
}

/** The language that most of the text is in; undefined if none of it tells. */
export function mainLanguageOf(texts: readonly string[]): string | undefined {
  const lengths = new Map<string, number>();
  for (const text of texts) {
    const language = languageOf(text);
    if (language !== undefined) lengths.set(language, (lengths.get(language) ?? 0) + text.length);
  }
  return [...lengths].sort(([one, left], [other, right]) => right - left || (one < other ? -1 : 1))[0]?.[0];
}
