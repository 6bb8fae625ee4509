import type { Supersession, SupersessionGraph } from '../links/supersession-graph.ts';
import type { CitedLink, Verdict } from './verdict.ts';

/**
 * Who supersedes whom along links, also over memories that are not judged. Two of a circle supersede each other, which
 * cannot be: that is a contradiction.
 */
export function supersessionsFromLinks(
  ids: ReadonlySet<string>,
  supersessions: SupersessionGraph,
): Verdict[] {
  const all = new Map([...ids].map((id) => [id, supersessions.chains(id)]));
  return [...ids].flatMap((older) => {
    const chains = all.get(older)!;
    return [...ids].flatMap((newer): Verdict[] => {
      const chain = chains.get(newer);
      if (!chain || older === newer) return [];
      const back = all.get(newer)!.get(older);
      if (!back) return [{ kind: 'supersession', older, newer, reason: reasonOf(chain) }];
      return older < newer ? [circle(older, newer, [...chain, ...back])] : [];
    });
  });
}

/** Probabilities of links that all have to hold. */
function confidenceOf(chain: readonly Supersession[]): number {
  return chain.reduce((product, { confidence }) => product * confidence, 1);
}

function reasonOf(chain: readonly Supersession[]): Verdict['reason'] {
  const over = chain.slice(0, -1).map(({ source }) => source);
  const detail =
    over.length === 0
      ? 'a link says that it supersedes it'
      : `links say so, one after the other, over ${over.join(', ')}`;
  return { code: 'link', detail, confidence: confidenceOf(chain), links: chain.map(cited) };
}

function circle(older: string, newer: string, links: readonly Supersession[]): Verdict {
  const detail = 'links run in a circle: each of them supersedes the other';
  const reason = {
    code: 'circle',
    detail,
    confidence: confidenceOf(links),
    links: links.map(cited),
  } as const;
  return { kind: 'contradiction', memories: [older, newer], reason };
}

function cited({ source, target, confidence }: Supersession): CitedLink {
  return { source, type: 'supersedes', target, confidence };
}

export function contradictionsFromLinks(ids: ReadonlySet<string>, links: readonly CitedLink[]): Verdict[] {
  return links
    .filter(({ source, target }) => ids.has(source) && ids.has(target))
    .map((link) => ({
      kind: 'contradiction',
      memories: [link.source, link.target],
      reason: {
        code: 'link',
        detail: 'a link says that they contradict each other',
        confidence: link.confidence,
        links: [link],
      },
    }));
}
