import { Link } from './address.tsx';
import { useSession } from './session.tsx';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** Shown for a screen that the role of the key does not see. */
export function NotForRole({ screen }: { readonly screen: string }) {
  const { who } = useSession();
  return (
    <Page title={screen}>
      <Empty title={`The role ${who.role} does not see this screen`}>
        Ask an admin for a key of another role, or <Link to="/">go to Home</Link>.
      </Empty>
    </Page>
  );
}

/** Shown for an address that no screen has. */
export function NotFound() {
  return (
    <Page title="No such screen">
      <Empty title="No screen of the console has this address">
        It may come from another version. <Link to="/">Go to Home</Link>.
      </Empty>
    </Page>
  );
}
