import { Bars } from '../../ui/bars.tsx';
import { rounded } from '../../ui/rounded.ts';
import type { ExplainedCandidate } from './explanation.ts';

type ScorePart = ExplainedCandidate['parts'][number];

const words: Readonly<Record<ScorePart['part'], readonly [name: string, meaning: string]>> = {
  base: ['start', 'what every memory starts from, before any evidence'],
  dense: ['meaning', 'how alike the question and the text are in meaning'],
  lexical: ['words', 'the words that they share, rare ones most'],
  overlap: ['wording', 'how much of the question the text contains word for word'],
  speaker: ['speaker', 'who speaks, if the question names somebody'],
  time: ['time', 'when it was, if the question names a time'],
  'same-text': ['same text', 'it is the text of the question'],
  feedback: ['feedback', 'what callers have said about it'],
  value: ['value', 'how often it was of use'],
  decay: ['age', 'what its age takes, in spaces where memories age'],
  conditions: ['conditions', 'what the question demands'],
};

interface ScorePartsProps {
  readonly parts: readonly ScorePart[];
  /** What is scored, such as "result 3". */
  readonly what: string;
  /** The value that fills a bar; the largest part by default. */
  readonly largest?: number;
}

/** The parts of a score as bars. Together they are the log-odds of the relevance; those that are negative speak against it. */
export function ScoreParts({ parts, what, largest }: ScorePartsProps) {
  return (
    <Bars
      label={`Parts of the score of ${what}, in log-odds`}
      {...(largest !== undefined && { largest })}
      bars={parts.map(({ part, logOdds }) => {
        const [name, note] = words[part];
        return { name, value: logOdds, note, text: `${logOdds > 0 ? '+' : ''}${rounded(logOdds)}` };
      })}
    />
  );
}
