import { Link, useAddress } from '../app/address.tsx';

interface TabsProps {
  readonly label: string;
  /** The value of `tab` in the address, and the name. The first tab is open if the address has no value. */
  readonly tabs: readonly (readonly [value: string, name: string])[];
}

/** The parts of a screen. The address names the open one as `tab`. */
export function Tabs({ label, tabs }: TabsProps) {
  const { path, values } = useAddress();
  const current = tabs.find(([value]) => value === values['tab'])?.[0] ?? tabs[0]![0];
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([value, name], index) => (
        <Link
          key={value}
          to={path}
          values={{ tab: index === 0 ? undefined : value }}
          aria-current={value === current ? 'page' : undefined}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
