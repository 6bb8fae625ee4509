/**
 * Words that say that something holds from now on, has changed or has ended, in the languages in which everyday notes were
 * seen. They make an update more likely; alone they are no evidence.
 */
const CHANGE = new RegExp(
  [
    String.raw`\b(?:now|nowadays|from now on|from (?:today|tonight|tomorrow)|as of|effective|instead|no longer|any ?more|any longer|no more|back to|back on|anew|going forward)\b`,
    String.raw`\b(?:from|since|starting) (?:next )?(?:(?:mid|late|early)[- ])?(?:january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday|wednesday|thursday|friday|saturday|sunday|next|\d{1,2} \p{Lu}\p{Ll}+)\b`,
    String.raw`^new\b|\bnew (?:owner|price|plan|date|time|address|number|limit|default|contact|rule|policy)\b|\bafter the (?:holidays|break|move|summer)\b`,
    String.raw`\b(?:mov|chang|switch|replac|rais|lower|increas|reduc|extend|shorten|postpon|reschedul|delay|push|bump|upgrad|downgrad|renam|migrat|relocat|lift|cut|updat|amend|revis|cancel|retir|transferr)(?:ed|es|e|s|ing)?\b`,
    String.raw`\b(?:brought forward|pushed back|takes? (?:it |\p{L}+ )?over|took over|taken over|handed over|went up|gone up|goes up|went down|came back with|set the|bumped|put off|moved)\b`,
    String.raw`(?<!\p{L})(?:jetzt|nun|nunmehr|ab sofort|künftig|zukünftig|neu(?:e[rsnm]?)?|verschoben|verlegt|rutscht|geändert|umgezogen|stattdessen|nicht mehr|gekündigt|erhöht|gesenkt)(?!\p{L})|\bkeine?n?\b.{1,30}\bmehr\b|\bab (?:dem )?\d`,
    String.raw`(?<!\p{L})(?:ahora|a partir de|desde ahora|ya no|nuev[oa]s?|cambi[óoa]\p{L}*|mov(?:ió|ido)|pasa a|aplazad[oa]|maintenant|désormais|dorénavant|nouve(?:au|lle)s?|déplacée?|reportée?|agora|nov[oa]s?|mudou|adiad[oa]|adesso|d'ora in poi|spostat[oa]|cambiat[oa])(?!\p{L})`,
    String.raw`(?<!\p{L})(?:voortaan|niet meer|verplaatst|verzet|nieuwe?|teraz|już nie|od teraz|przeniesion\p{L}*|zmieni\p{L}*|artık|yeni|ertelendi|değişti|taşındı)(?!\p{L})`,
    String.raw`(?<!\p{L})(?:теперь|больше не|перенес\p{L}*|измен\p{L}*|нов(?:ый|ая|ое))(?!\p{L})`,
    '現在は|今は|これから|今後|変更|移動|延期|なくなっ|現在|改为|改到|不再|推迟|이제|더 이상|변경|연기',
  ].join('|'),
  'iu',
);

/** Verbs that take a new value: "raised the budget to 310". */
const SETTING =
  /\b(?:rais|lower|increas|reduc|bump|lift|cut|chang|mov|set|upgrad|extend|adjust)(?:ed|es|s|e|ing)?\b(?:[^.;]|\.(?=\S)){0,60}?\bto\s|\bgoes from\b|\bup to\b/iu;

/** Words of doubt, questions and conditions: sentences with them state no fact. */
const UNSURE =
  /\?\s*$|\b(?:i'm|i am|we're|we are) (?:\p{L}+ )?(?:looking|trying|wondering|considering|thinking)\b|^(?:should|would|could|maybe|perhaps|what|which|how|why|who|can|do|does|is|are)\b|\b(?:maybe|perhaps|might|ideas? (?:for|is|was)|considering|thinking (?:of|about)|wonder(?:ing)?|suggest(?:ed|s)?|propos(?:ed|es|al)|asked whether|for example|e\.g\.|such as|used to|previously|formerly)\b/iu;

/** Past events: what happened once is not contradicted by what happens later. */
const PAST =
  /\b(?:was|were|went|did|had|got|came|made|took|saw|ran|said|told|paid|spent|gave|bought|found|sent|met|wrote|broke|lost|won|felt|left|\p{L}{2,40}ed)\b/iu;
const STATIVE =
  /\b(?:is|are|be|been|being|'s|'re|get|gets)\s+(?:\p{L}+\s+)?(?:\p{L}{2,}(?:ed|t|n)|paid|made|held|sold|told|found|led|read|run|done)\b/iu;

export function saysChange(sentence: string): boolean {
  return CHANGE.test(sentence);
}

export function setsValue(sentence: string): boolean {
  return SETTING.test(sentence);
}

export function isUnsure(sentence: string): boolean {
  return UNSURE.test(sentence);
}

export function isPastEvent(sentence: string): boolean {
  return PAST.test(sentence.replaceAll(new RegExp(STATIVE.source, 'giu'), ' '));
}
