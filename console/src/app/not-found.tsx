import { Link } from './address.tsx';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** Shown for an address that no screen has. */
export function NotFound() {
  return (
    <Page title="No such view">
      <Empty title="This address belongs to no view of the console">
        It may come from another version. <Link to="/">Go to the overview</Link>.
      </Empty>
    </Page>
  );
}
