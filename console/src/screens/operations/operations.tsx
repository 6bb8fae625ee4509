import './operations.css';
import type { ComponentType } from 'preact';
import { useAddress } from '../../app/address.tsx';
import { useSession, type Session } from '../../app/session.tsx';
import { Empty } from '../../ui/empty.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { Budgets } from './budgets.tsx';
import { Facts } from './facts.tsx';
import { Keys } from './keys.tsx';
import { Limits } from './limits.tsx';
import { Models } from './models.tsx';
import { ReadModels } from './read-models.tsx';
import { Relay } from './relay.tsx';
import { Routing } from './routing.tsx';
import { Server } from './server.tsx';

interface Part {
  readonly tab: string;
  readonly name: string;
  readonly view: ComponentType;
  isFor(session: Session): boolean;
}

const parts: readonly Part[] = [
  {
    tab: 'projections',
    name: 'Read models',
    view: ReadModels,
    isFor: ({ may }) => may('listProjections'),
  },
  { tab: 'readiness', name: 'Server', view: Server, isFor: () => true },
  { tab: 'relay', name: 'Relay', view: Relay, isFor: () => true },
  { tab: 'models', name: 'Models', view: Models, isFor: ({ may }) => may('models') },
  { tab: 'budgets', name: 'Costs', view: Budgets, isFor: ({ may }) => may('budgets') },
  { tab: 'limits', name: 'Limits', view: Limits, isFor: ({ may }) => may('limits') },
  { tab: 'routing', name: 'Routing', view: Routing, isFor: ({ may }) => may('routing') },
  { tab: 'keys', name: 'Keys and roles', view: Keys, isFor: ({ may }) => may('listKeys') },
  { tab: 'facts', name: 'Facts', view: Facts, isFor: ({ may }) => may('facts') },
];

/** What an operator looks after, a part a tab. */
export default function Operations() {
  const session = useSession();
  const { values } = useAddress();
  const seen = parts.filter((part) => part.isFor(session));
  const wanted = parts.find(({ tab }) => tab === values['tab']);
  const isRefused = wanted !== undefined && !seen.includes(wanted);
  const { view: View } = (isRefused ? undefined : wanted) ?? seen[0]!;
  return (
    <Page title="Operations" question="Does everything keep up, and what does it use?">
      <Tabs label="Parts of operations" tabs={seen.map(({ tab, name }) => [tab, name] as const)} />
      {isRefused ? (
        <Empty title={`The role ${session.who.role} does not see ${wanted.name.toLowerCase()}`}>
          Ask an admin of the tenant, or choose another part.
        </Empty>
      ) : (
        <View />
      )}
    </Page>
  );
}
