import { saysMoreThan, termsOf } from '../../grounding/support.ts';
import {
  cleaned,
  distinct,
  isBacked,
  leastKept,
  Marks,
  type CitedSentence,
  type Unusable,
} from '../../grounding/cited-sentences.ts';
import type { LessonAnswer, ShownAttempt } from './prompt.ts';

/** The texts of a lesson as a language model wrote them, with marks `[n]` that name the attempts in `cited`, counted from 1. */
export interface WrittenLesson {
  readonly title: string;
  readonly description: string;
  readonly content: string;
  /** Ids of the attempts. */
  readonly cited: readonly string[];
}

type Sentence = LessonAnswer['title'];

const mostSentences = 5;
/** In UTF-16 units. */
const longest = { title: 160, description: 400, sentence: 400 } as const;
/** Words that a sentence may use for an outcome. */
const outcomeWords: Readonly<Record<ShownAttempt['outcome'], string>> = {
  success: 'success succeeded worked helped',
  partial_success: 'partly success succeeded worked helped failure failed',
  failure: 'failure failed',
  pending: '',
};
const label = /^(?:do|avoid)\s*:\s*/i;

/**
 * The lesson from the answer of a language model. Each sentence must name attempts that support it. Advice may come only from attempts that
 * did not fail, at least one of them with the approach that the rules recommend; warnings only from attempts that did not succeed. Both
 * must say more than the questions of the attempts that they name. A sentence that fails these checks is left out. The lesson is not used
 * if the title, the description or more than half of the content fails, or if no advice is left although the rules recommend an approach.
 */
export function composeLesson(
  shown: readonly ShownAttempt[],
  answer: LessonAnswer,
): WrittenLesson | Unusable {
  const terms = shown.map(({ texts, outcome }) =>
    termsOf([...Object.values(texts), outcomeWords[outcome]].join('\n')),
  );
  const backed = (sentence: CitedSentence, most: number) =>
    sentence.text.length <= most && isBacked(sentence, terms);
  const questions = shown.map(({ texts }) => termsOf(texts.question));
  const addsToQuestions = ({ text, sources }: CitedSentence) =>
    sources.every((number) => saysMoreThan(text, questions[number - 1]!));
  const title = citedSentence(answer.title);
  const description = citedSentence(answer.description);
  const [toDo, toAvoid] = [answer.do.map(citedSentence), answer.avoid.map(citedSentence)];
  if (title.text === '' || description.text === '' || toDo.length + toAvoid.length === 0) return 'incomplete';
  const of = ({ sources }: CitedSentence) => sources.map((number) => shown[number - 1]);
  const kept = {
    do: distinct(toDo).filter(
      (sentence) =>
        backed(sentence, longest.sentence) &&
        addsToQuestions(sentence) &&
        of(sentence).some((attempt) => attempt?.recommended) &&
        of(sentence).every((attempt) => attempt?.outcome !== 'failure'),
    ),
    avoid: distinct(toAvoid).filter(
      (sentence) =>
        backed(sentence, longest.sentence) &&
        addsToQuestions(sentence) &&
        of(sentence).every((attempt) => attempt?.outcome !== 'success'),
    ),
  };
  const all = toDo.length + toAvoid.length;
  const lacksAdvice = shown.some(({ recommended }) => recommended) && kept.do.length === 0;
  if (
    !backed(title, longest.title) ||
    !backed(description, longest.description) ||
    kept.do.length + kept.avoid.length < leastKept * all ||
    lacksAdvice
  )
    return 'unsupported';
  const marks = new Marks();
  const marked = ({ text, sources }: CitedSentence) => `${text} ${marks.of(sources)}`;
  const described = marked(description);
  const lines = (name: string, sentences: readonly CitedSentence[]) =>
    sentences.slice(0, mostSentences).map((sentence) => `${name}: ${marked(sentence)}`);
  const content = [...lines('Do', kept.do), ...lines('Avoid', kept.avoid)].join('\n');
  const cited = marks.cited.map((number) => shown[number - 1]!.id);
  return { title: title.text, description: described, content, cited };
}

/** Without a label such as "Do:", which `composeLesson` adds itself. */
function citedSentence({ text, attempts }: Sentence): CitedSentence {
  const sentence = cleaned({ text, sources: attempts });
  return { ...sentence, text: sentence.text.replace(label, '') };
}
