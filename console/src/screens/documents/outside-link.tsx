import { openable } from './document-facts.ts';

/** An address from data: a link if it is one of the web, else text. */
export function OutsideLink({ url }: { readonly url: string }) {
  const target = openable(url);
  return target === undefined ? (
    <span>{url}</span>
  ) : (
    <a href={target} rel="noreferrer noopener" target="_blank">
      {url}
    </a>
  );
}
