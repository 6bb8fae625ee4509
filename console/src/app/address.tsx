import type { ComponentChildren, JSX } from 'preact';
import { useCallback } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import type { AddressValues } from './address-values.ts';

/** Parameters that stay when another view is opened: the time at which everything is shown. */
const kept = ['at'];

/** The path of a view with its filters, such as `/console/memories?layer=team`. */
function addressOf(path: string, values: AddressValues = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && value !== '') parameters.set(name, value);
  const query = parameters.toString();
  return `/console${path === '/' ? '' : path}${query === '' ? '' : `?${query}`}`;
}

export interface Address {
  /** The path below `/console`, beginning with a slash. */
  readonly path: string;
  /** All values of the address; a repeated name has its last value. */
  readonly values: Readonly<Record<string, string>>;
  /** Changes some values of the present view, as a new entry of the history or instead of the present one. */
  readonly set: (changes: AddressValues, how?: 'push' | 'replace') => void;
  /** Opens another view, which keeps the chosen time. */
  readonly open: (path: string, values?: AddressValues) => void;
}

/** The address of the present view. Filters and positions live in it, so a link shows another person the same. */
export function useAddress(): Address {
  const { path, query, route } = useLocation();
  const own = path.replace(/^\/console\/?/, '/');
  const set = useCallback(
    (changes: AddressValues, how: 'push' | 'replace' = 'replace') =>
      route(addressOf(own, { ...query, ...changes }), how === 'replace'),
    [own, JSON.stringify(query), route],
  );
  const open = useCallback(
    (to: string, values: AddressValues = {}) => route(addressOf(to, { ...keptOf(query), ...values })),
    [JSON.stringify(query), route],
  );
  return { path: own, values: query, set, open };
}

function keptOf(query: Readonly<Record<string, string>>): AddressValues {
  return Object.fromEntries(kept.map((name) => [name, query[name]]));
}

interface LinkProps extends Omit<JSX.HTMLAttributes<HTMLAnchorElement>, 'href'> {
  /** The path of the view below `/console`. */
  readonly to: string;
  readonly values?: AddressValues | undefined;
  readonly children: ComponentChildren;
}

/** A link to another view, which keeps the chosen time. */
export function Link({ to, values, children, ...others }: LinkProps) {
  const { query } = useLocation();
  return (
    <a {...others} href={addressOf(to, { ...keptOf(query), ...values })}>
      {children}
    </a>
  );
}
