import { Link } from './address.tsx';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

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
