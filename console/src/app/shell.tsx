import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Link, useAddress } from './address.tsx';
import { NotedCallsProvider } from './noted-calls.tsx';
import { NotForRole } from './not-found.tsx';
import { hiddenScreen, isWithin, screensFor } from './screens.ts';
import { ServedUser } from './served-user.tsx';
import { Shortcuts } from './shortcuts.tsx';
import { TimeBar } from './time-bar.tsx';
import { useLiveState, type LiveState } from './live.tsx';
import { useSession } from './session.tsx';
import { Badge } from '../ui/badge.tsx';
import { Button } from '../ui/button.tsx';

const liveWords: Readonly<Record<LiveState, string>> = {
  off: '',
  connecting: 'connecting…',
  live: 'live',
  lost: 'connection lost, trying again',
};

/** The frame around every screen: the menu, who is signed in, and the chosen time. */
export function Shell({ children }: { readonly children: ComponentChildren }) {
  const { path } = useAddress();
  const { may } = useSession();
  const hidden = hiddenScreen(path, may);
  const [isOpen, setOpen] = useState(false);
  useEffect(() => setOpen(false), [path]);
  return (
    <div class="shell">
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header class="top">
        <button
          type="button"
          class="menu-button"
          aria-expanded={isOpen}
          aria-controls="screens"
          onClick={() => setOpen(!isOpen)}
        >
          Menu
        </button>
        <Link to="/" class="brand">
          Stratalog
        </Link>
        <TimeBar />
        <Identity />
      </header>
      <nav id="screens" class={isOpen ? 'side open' : 'side'} aria-label="Screens">
        {screensFor(may).map(({ path: to, name }) => (
          <Link key={to} to={to} aria-current={isWithin(path, to) ? 'page' : undefined}>
            {name}
          </Link>
        ))}
      </nav>
      <main id="content" tabIndex={-1}>
        <NotedCallsProvider>
          {hidden === undefined ? children : <NotForRole screen={hidden} />}
        </NotedCallsProvider>
      </main>
      <Shortcuts />
    </div>
  );
}

function Identity() {
  const { who, signOut } = useSession();
  const live = useLiveState();
  return (
    <div class="identity">
      {who.environment === 'production' && <Badge tone="danger">production</Badge>}
      {live !== 'off' && (
        <span class={`live ${live}`} role="status">
          {liveWords[live]}
        </span>
      )}
      <ServedUser />
      <span class="muted" title={`role ${who.role}`}>
        {who.user ?? 'no user'} · {who.tenant} · {who.role}
      </span>
      {signOut && (
        <Button kind="quiet" onClick={signOut}>
          Sign out
        </Button>
      )}
    </div>
  );
}
