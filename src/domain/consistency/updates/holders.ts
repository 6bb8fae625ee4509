import { mayOverlap } from '../place-names.ts';
import { fold } from '../../text/tokens.ts';
import { stem } from '../../text/porter2.ts';
import { keyOf } from '../short-texts.ts';
import { weightOf, type Sentence } from './sentence-index.ts';
import { commonSupport, sharedSubjects, type Comparison, type Update } from './support.ts';

const minSupport = 2.5;
const mostPairs = 200;

/** A longer run of letters would be read again from each of its capitals. */
const NAME = String.raw`(?:(?:Dr|Mr|Mrs|Ms|Prof|Sra?|Dra?|Frau|Herr)\.? )?\p{Lu}[\p{L}’'-]{1,40}(?: \p{Lu}[\p{L}’'-]{1,40}){0,2}`;
/** Roles and properties that a person or thing has only one of at a time. */
const ROLE = `(?:${(
  'owner maintainer lead leader manager boss contact paediatrician pediatrician doctor dentist therapist teacher tutor coach ' +
  'trainer landlord landlady accountant lawyer vet cleaner nanny babysitter assistant director ceo cto cfo chair president ' +
  'captain provider supplier vendor carrier insurer bank host editor region timezone capital stand-in deputy successor ' +
  'approver reviewer sponsor'
)
  .split(' ')
  .map((role) => `[${role[0]!.toUpperCase()}${role[0]}]${role.slice(1)}`)
  .join('|')})`;
const GERMAN_ROLE = String.raw`(?:Ansprechpartner(?:in)?|Vermieter(?:in)?|Lehrer(?:in)?|Kinderarzt|Kinderärztin|Hausarzt|Hausärztin|Leiter(?:in)?)`;

/** Patterns of a name (group `name`) and its role: the second element, or else group `role`. */
const HOLDING: readonly (readonly [pattern: RegExp, role?: string])[] = [
  [
    new RegExp(
      String.raw`\b(?<role>${ROLE})(?: (?:of|for|at|in) [^.,;:]{2,40}?)?(?: is(?: now| currently)?|:| became| will be) (?<name>${NAME})`,
      'gu',
    ),
  ],
  [
    new RegExp(
      String.raw`(?<role>${GERMAN_ROLE})(?: \p{L}+){0,3}? ?(?:ist(?: jetzt| nun)?|:) (?<name>${NAME})`,
      'gu',
    ),
  ],
  [
    new RegExp(
      String.raw`(?<name>${NAME}) (?:is|becomes|became|will be)(?: now)?(?: (?:the|our|my|their|his|her))?(?: \p{L}[\p{L}-]+)? (?<role>${ROLE})\b`,
      'gu',
    ),
  ],
  [
    new RegExp(
      String.raw`(?<name>${NAME})(?: now)? (?:owns|maintains|takes over|took over|takes it over|has taken over|looks after)\b`,
      'gu',
    ),
    'owner',
  ],
  [new RegExp(String.raw`\b(?:owned|maintained|looked after) by (?<name>${NAME})`, 'gu'), 'owner'],
];

const PLACE = String.raw`\p{Lu}[\p{L}.'’-]{1,40}(?: \p{Lu}[\p{L}.'’-]{1,40}){0,2}`;
const ADDRESS = String.raw`(?:\p{Lu}[\p{L}.'’-]{0,40}(?:straße|strasse|str\.|gasse|weg|platz|allee|ring|ufer|damm|gatan|vej|straat|laan)|(?:Rua|Calle|Rue|Via|Avenida|Plaza|Praça)(?: d[aeo]s?)? ${PLACE}|${PLACE}) \d{1,4}[a-z]?\b|\d{1,5} ${PLACE} (?:Street|St|Road|Rd|Avenue|Ave|Lane|Drive|Way|Court|Square|Boulevard)\b`;
const AT_PLACE = new RegExp(
  String.raw`\b(?:lives|(?<=\b(?:I|[Ww]e|[Tt]hey|[Mm]y \p{L}+) (?:now )?)live|living|based|located|(?:office|flat|apartment|house|headquarters|address|shop|practice|studio)(?: is| are|:)?(?: now)?|resid\p{L}+|works?(?: from)?|mov(?:ed|es|ing)|relocat(?:ed|es|ing))(?: back)?(?: from [^.,;]{2,30}?)?(?: (?:at|in|to|from|on))? (?<name>${ADDRESS}|${PLACE})`,
  'gu',
);
const PLURAL = /\b(?:they|their|them|we|our|us)\b/iu;

interface Holding {
  readonly role: string;
  readonly name: string;
  readonly sentence: Sentence;
}

/** Updates that give a role to another person, or another place to somebody. */
export function changedHolders(comparison: Comparison): Update[] {
  const [olders, newers] = [
    comparison.older.sentences.flatMap(holdersIn),
    comparison.newer.sentences.flatMap(holdersIn),
  ];
  const updates: Update[] = [];
  let compared = 0;
  for (const newer of newers)
    for (const older of olders) {
      if (older.role !== newer.role) continue;
      if (++compared > mostPairs) return updates;
      const update = changedHolder(comparison, older, newer);
      if (update) updates.push(update);
    }
  return updates;
}

/** Extracted once for each sentence: it is compared with those of many memories. */
const known = new WeakMap<Sentence, readonly Holding[]>();

export function holdersIn(sentence: Sentence): readonly Holding[] {
  const found = known.get(sentence) ?? (sentence.isUnsure ? [] : holdingsOf(sentence));
  known.set(sentence, found);
  return found;
}

function changedHolder(comparison: Comparison, older: Holding, newer: Holding): Update | undefined {
  const [own, other] = [older.name, newer.name].map((name) =>
    fold(name).replace(/^(?:dr|mr|mrs|ms|prof|frau|herr)\.? /, ''),
  ) as [string, string];
  if (own === other || own.includes(other) || other.includes(own)) return undefined;
  const isPlace = older.role === 'place';
  if (isPlace && mayOverlap(own, other)) return undefined;
  if (isPlace && older.sentence.isPast && !newer.sentence.saysChange) return undefined;
  const areNotes = comparison.older.isNote && comparison.newer.isNote;
  const shared = sharedSubjects(older.sentence, newer.sentence, new Set([stem(older.role)]));
  const areBothPlural = PLURAL.test(older.sentence.text) && PLURAL.test(newer.sentence.text);
  const support =
    1.5 +
    shared.own +
    shared.around +
    (areBothPlural ? 0.75 : 0) +
    commonSupport(comparison, { ...newer.sentence, saysChange: saysChange(newer.sentence) });
  // The role itself can be shared by many: "the owner of A is …", "the owner of B is …".
  if (!areBothPlural && !isSameThing(comparison, older, newer)) return undefined;
  if (support < minSupport || (shared.own < 1 && !areNotes)) return undefined;
  return {
    difference: 'name',
    words: [older.name, newer.name],
    passages: [older.sentence.text, newer.sentence.text],
    shared: shared.words.slice(0, 4),
    support,
  };
}

/** Whether one sentence names everything that the other names besides the role and its holder. */
function isSameThing({ isOnePerson }: Comparison, older: Holding, newer: Holding): boolean {
  const [own, others] = [thingsOf(older), thingsOf(newer)];
  const [fewer, more] = own.length <= others.length ? [own, newer.sentence] : [others, older.sentence];
  if (fewer.length === 0) return isOnePerson || saysChange(newer.sentence);
  return fewer.every((key) => more.subjects.has(key) || more.around.has(key));
}

/** "Our new vet" has taken the place of the old one. */
function saysChange(sentence: Sentence): boolean {
  return sentence.saysChange || /\bnew\b/i.test(sentence.text);
}

function thingsOf({ role, name, sentence }: Holding): string[] {
  const named = new Set(name.split(/[\s-]/).map(keyOf));
  return [...sentence.subjects.values()]
    .filter((subject) => weightOf(subject) > 0 && subject.key !== role && !named.has(subject.key))
    .filter(({ text }) => !/^(?:own|liv|locat|mov|relocat|maintain|tak|work)/i.test(text))
    .map(({ key }) => key);
}

function holdingsOf(sentence: Sentence): Holding[] {
  const holdings: Holding[] = [];
  for (const [pattern, role] of HOLDING)
    for (const { groups } of sentence.text.matchAll(pattern)) {
      const name = groups!['name']!;
      const named = role ?? fold(groups!['role']!);
      if (/^(?:\p{Ll}|The |A |I$|We$|They$|It$|He$|She$)/u.test(name)) continue;
      holdings.push({ role: stem(named === 'maintainer' ? 'owner' : named), name, sentence });
    }
  for (const { groups } of sentence.text.matchAll(AT_PLACE))
    holdings.push({ role: 'place', name: groups!['name']!.replace(/[.’']+$/, ''), sentence });
  return holdings;
}
