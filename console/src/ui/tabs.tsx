import { Link, useAddress } from '../app/address.tsx';

interface TabsProps {
  readonly label: string;
  /** The value of `tab` in the address, and its name; the first has none. */
  readonly tabs: readonly (readonly [value: string, name: string])[];
}

/** The parts of a screen, of which the address names one as `tab`. */
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
