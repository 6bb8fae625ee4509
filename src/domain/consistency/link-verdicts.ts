import type { Supersession, SupersessionGraph } from '../links/supersession-graph.ts';
import type { CitedLink, Verdict } from './verdict.ts';

/**
 * Supersessions that follow from chains of links, including chains through memories outside `ids`. Two memories of a cycle
 * would supersede each other, so they are reported as a contradiction.
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
      if (!back) return [{ kind: 'supersession', older, newer, reason: chainReason(chain) }];
      return older < newer ? [cycle(older, newer, [...chain, ...back])] : [];
    });
  });
}

/** Product of the links' confidences: all of them must hold. */
function confidenceOf(chain: readonly Supersession[]): number {
  return chain.reduce((product, { confidence }) => product * confidence, 1);
}

function chainReason(chain: readonly Supersession[]): Verdict['reason'] {
  const intermediate = chain.slice(0, -1).map(({ source }) => source);
  const detail =
    intermediate.length === 0
      ? 'a link says that it supersedes it'
      : `a chain of links says so, through ${intermediate.join(', ')}`;
  return { code: 'link', detail, confidence: confidenceOf(chain), links: chain.map(toCitedLink) };
}

function cycle(older: string, newer: string, links: readonly Supersession[]): Verdict {
  const detail = 'the links form a cycle in which each supersedes the other';
  const reason = {
    code: 'circle',
    detail,
    confidence: confidenceOf(links),
    links: links.map(toCitedLink),
  } as const;
  return { kind: 'contradiction', memories: [older, newer], reason };
}

function toCitedLink({ source, target, confidence }: Supersession): CitedLink {
  return { source, type: 'supersedes', target, confidence };
}

/** Contradictions stated by `contradicts` links between memories in `ids`. */
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
