import { z } from 'zod';
import { identifier } from '../layers.ts';
import { matchesGlob, matchesWildcard } from './glob.ts';
import { hasPhrase, phraseForm } from './phrases.ts';

const maxRules = 500;
const maxAlternatives = 100;

const value = z.string().trim().min(1).max(256);
/** One value, or several of which one suffices. */
const values = z.union([value, z.array(value).min(1).max(maxAlternatives)]);

const conditions = {
  source: values.meta({
    description: 'Where the document came from, such as `user_cli`; `*` is any number of characters',
  }),
  sourceDomain: values.meta({ description: 'Domain of its address, with all its subdomains' }),
  contentType: values.meta({ description: 'Its `content_type`' }),
  path: values.meta({
    description:
      'Its path or file name: `*` within a folder, `**` across folders; without a slash, the name of the file alone',
  }),
  contains: values.meta({ description: 'A word or phrase of its title or text' }),
};

const whenSchema = z
  .strictObject(conditions)
  .partial()
  .refine((when) => Object.keys(when).length > 0, {
    message: `needs at least one of ${Object.keys(conditions).join(', ')}`,
  })
  .meta({
    description:
      'Every condition must hold. A condition is a value, or a list of alternatives. Case is ignored',
  });

const spaceList = z.array(identifier).min(1).max(100);

export const contentRuleSchema = z
  .strictObject({
    when: whenSchema,
    spaces: spaceList.meta({ description: 'The spaces of a document for which the conditions hold' }),
  })
  .meta({ id: 'ContentRule' });

export type ContentRule = z.output<typeof contentRuleSchema>;

export const contentRoutingSchema = z
  .strictObject({
    rules: z.array(contentRuleSchema).max(maxRules).meta({
      description: 'A document gets the spaces of all rules whose conditions hold',
    }),
    fallback: z
      .preprocess((sent) => (typeof sent === 'string' ? [sent] : sent), spaceList.optional())
      .optional()
      .meta({
        anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
        description: 'The spaces of a document for which neither rules nor anything else find one',
      }),
  })
  .meta({ id: 'ContentRouting' });

export type ContentRouting = z.output<typeof contentRoutingSchema>;

/** What rules look at. All fields but the text may be unknown. */
export interface RoutedContent {
  readonly text: string;
  readonly title?: string | undefined;
  readonly source?: string | undefined;
  /** A domain, or an address with one. */
  readonly sourceDomain?: string | undefined;
  readonly contentType?: string | undefined;
  readonly path?: string | undefined;
}

/** What is known of a document that names no spaces. */
export interface ContentToRoute extends RoutedContent {
  /** Identifies the document and its revision: the language model is paid for once. */
  readonly id: string;
  /** A source brings it on its schedule: spaces without `autoIngest` are not chosen. */
  readonly isUnasked?: boolean;
}

/** The indexes of the rules whose conditions hold, in their order. */
export function matchingRules(
  rules: readonly Pick<ContentRule, 'when'>[],
  content: RoutedContent,
): readonly number[] {
  // Made once, and only if a rule asks for words.
  let text: string | undefined;
  const words = () => (text ??= phraseForm(`${content.title ?? ''}\n${content.text}`));
  return rules.flatMap(({ when }, index) => (holds(when, content, words) ? [index] : []));
}

/** The spaces of several lists, each once, in the order in which they are named first. */
export function spacesOfAll(lists: readonly (readonly string[])[]): readonly string[] {
  return [...new Set(lists.flat())];
}

/** The domain of an address, or of a domain as somebody may write it; undefined if there is none. */
export function domainOf(address: string): string | undefined {
  const text = address.trim();
  const url = text.includes('://') ? text : `https://${text}`;
  if (!URL.canParse(url)) return undefined;
  return new URL(url).hostname.replace(/\.$/, '') || undefined;
}

function holds(when: ContentRule['when'], content: RoutedContent, words: () => string): boolean {
  const { source, sourceDomain, contentType, path } = content;
  const domain = sourceDomain === undefined ? undefined : domainOf(sourceDomain);
  return (
    someOf(when.source, source, matchesWildcard) &&
    someOf(when.sourceDomain, domain, isWithin) &&
    someOf(when.contentType, contentType, (given, wanted) => phraseForm(given) === phraseForm(wanted)) &&
    someOf(when.path, path, matchesGlob) &&
    (when.contains === undefined || [when.contains].flat().some((one) => hasPhrase(words(), phraseForm(one))))
  );
}

/** Whether a condition is not given, or holds for what is known. */
function someOf(
  wanted: string | readonly string[] | undefined,
  given: string | undefined,
  matches: (given: string, wanted: string) => boolean,
): boolean {
  if (wanted === undefined) return true;
  return given !== undefined && [wanted].flat().some((one) => matches(given.trim(), one));
}

/** Whether a domain is another one, or a subdomain of it. */
function isWithin(domain: string, wanted: string): boolean {
  const parent = domainOf(wanted.replace(/^\*\./, ''));
  return parent !== undefined && (domain === parent || domain.endsWith(`.${parent}`));
}
