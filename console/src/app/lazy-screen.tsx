import type { ComponentType } from 'preact';
import { useEffect } from 'preact/hooks';
import { lazy } from 'preact-iso';
import { Button } from '../ui/button.tsx';
import { Empty } from '../ui/empty.tsx';
import { Page } from '../ui/page.tsx';

/** How often a screen that could not be loaded asks whether the server is back. */
const checkMs = 2_000;

/** A screen whose code is loaded when it is first opened. If that fails, the screen says so. */
export const lazyScreen = (load: () => Promise<{ readonly default: ComponentType }>) =>
  lazy(() => load().catch(() => ({ default: NotLoaded })));

/**
 * The page does not ask again for a module that failed, so it has to be loaded anew. That happens by itself once a server that could not be
 * reached answers. If it answers all along, its files are those of another version or broken: then only the button loads the page, since
 * that may fail again and again.
 */
function NotLoaded() {
  useEffect(() => {
    let wasAway = false;
    const timer = setInterval(() => {
      fetch(location.pathname, { method: 'HEAD' }).then(
        ({ ok }) => wasAway && ok && location.reload(),
        () => (wasAway = true),
      );
    }, checkMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Page title="Not loaded">
      <Empty title="This screen could not be loaded">
        The server cannot be reached, or its console was replaced by another version.
      </Empty>
      <Button kind="primary" onClick={() => location.reload()}>
        Load the console again
      </Button>
    </Page>
  );
}
