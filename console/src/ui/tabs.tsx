import { Link, useAddress } from '../app/address.tsx';
import type { AddressValues } from '../app/address-values.ts';

interface TabsProps {
  readonly label: string;
  /** The value of `tab` in the address, and the name. The first tab is open if the address has no value. */
  readonly tabs: readonly (readonly [value: string, name: string])[];
  /** Other values of the address that all tabs keep. */
  readonly keep?: AddressValues;
}

/** The parts of a screen. The address names the open one as `tab`. */
export function Tabs({ label, tabs, keep }: TabsProps) {
  const { path, values } = useAddress();
  const current = tabs.find(([value]) => value === values['tab'])?.[0] ?? tabs[0]![0];
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([value, name], index) => (
        <Link
          key={value}
          to={path}
          values={{ ...keep, tab: index === 0 ? undefined : value }}
          aria-current={value === current ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
