import { Page } from '../../ui/page.tsx';

/** Placeholder until the screen is built. */
export default function Screen() {
  return <Page title="memory">…</Page>;
}
