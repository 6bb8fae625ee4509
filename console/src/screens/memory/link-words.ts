import type { LinkType } from '@stratalog/client';

/** Each type of link, as it reads from its source and from its target. */
const words: Readonly<Record<LinkType, readonly [outgoing: string, incoming: string]>> = {
  supports: ['supports', 'supported by'],
  contradicts: ['contradicts', 'contradicted by'],
  supersedes: ['supersedes', 'superseded by'],
  requires: ['requires', 'required by'],
  related: ['related to', 'related to'],
  causes: ['causes', 'caused by'],
  derived_from: ['derived from', 'led to'],
  cites: ['cites', 'cited by'],
};

export const linkTypes = Object.keys(words) as readonly LinkType[];

/** A link as seen from one of its two memories. */
export const linkWords = (type: LinkType, direction: 'outgoing' | 'incoming'): string =>
  words[type][direction === 'outgoing' ? 0 : 1];
