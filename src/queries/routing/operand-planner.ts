import type { Operand, Plan } from '../../domain/routing/plan.ts';

const comparison =
  /\b(?:compar\w*|contrast\w*|difference|differ|differs|versus|vs\.?|similarit\w*|in common|(?:dis)?agree)(?![\p{L}])/iu;
const digest =
  /\b(?:summari[sz]e|summary|overview|history|evolution|evolve[ds]?|trace|timeline|over time)\b/i;
/** `compare A and B`, `the difference between A and B`, `A versus B`, with what is said of both behind or before. */
const forms = [
  /\bbetween (?<left>.{1,200}?) and (?<right>.{1,200}?)(?<rest> (?:in|on|for|about|regarding|when|with) .+)?[?.!]*$/iu,
  /^(?:please )?(?:compare|contrast) (?:how |what |the )?(?<left>.{1,200}?) (?:and|with|to|versus|vs\.?) (?<right>.{1,200}?)(?<rest> (?:in|on|for|about|regarding|approach|handle|do|use|treat)\b .+)?[?.!]*$/iu,
  /^(?<left>.{1,200}?) (?:versus|vs\.?) (?<right>.{1,200}?)(?<rest> (?:in|on|for|about|regarding) .+)?[?.!]*$/iu,
];
const shared = /^(?<before>.*\b(?:of|by|in|for|from) )(?<left>.+)$/iu;

/**
 * Takes a comparison apart into its sides by the words alone, each with what is said of both; any other question has one
 * operand, itself.
 */
export function planByWords(question: string): Plan {
  const whole: Operand = { label: 'question', query: question };
  if (!comparison.test(question))
    return { aggregation: digest.test(question) ? 'summarize' : 'combine', operands: [whole] };
  for (const form of forms) {
    const groups = form.exec(question)?.groups;
    if (!groups) continue;
    const { left = '', right = '', rest = '' } = groups;
    // `the caching of A and B`: what stands before the first name holds for the second too.
    const before = shared.exec(left)?.groups ?? headOf(question, left);
    const subject = `${before['before'] ?? ''} ${rest}`;
    const sides = [before['left'] ?? left, right].map((side) => ({
      label: side.trim(),
      query: `${side} ${subject}`.replaceAll(/\s+/g, ' ').trim(),
    }));
    return { aggregation: 'compare', operands: sides };
  }
  return { aggregation: 'compare', operands: [whole] };
}

/** `the difference in retries between A and B`: what differs. */
function headOf(question: string, left: string): Record<string, string> {
  const head = question.slice(0, question.indexOf(left));
  const about = /\b(?:differences?|compare|contrast) (?:in|of) (?<about>.+?) (?:between|across)\b/iu.exec(
    head,
  );
  return { left, before: about?.groups?.['about'] ?? '' };
}
