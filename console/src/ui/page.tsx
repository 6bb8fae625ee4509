import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAt } from '../app/time-bar.tsx';
import { CallMenu } from './call-menu.tsx';
import { Time } from './time.tsx';

interface PageProps {
  readonly title: string;
  /** The question that the screen answers. */
  readonly question?: string;
  /** Whether what is shown follows the chosen time. Otherwise the page says that it shows the present. */
  readonly followsTime?: boolean;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A screen: its heading, the calls it makes, and its panels. */
export function Page({ title, question, followsTime = false, actions, children }: PageProps) {
  const at = useAt();
  useEffect(() => {
    document.title = `${title} · Stratalog`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1>{title}</h1>
          {question !== undefined && <p class="muted">{question}</p>}
        </div>
        <div class="page-actions">
          {actions}
          <CallMenu />
        </div>
      </header>
      {at !== undefined && (
        <p class="as-of" role="status">
          {followsTime ? (
            <>
              As of <Time at={at} exact />: what was known then, as far as you may see it now.
            </>
          ) : (
            'This screen always shows the present.'
          )}
        </p>
      )}
      {children}
    </>
  );
}

interface PanelProps {
  readonly title: string;
  readonly note?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A part of a screen with a heading. */
export function Panel({ title, note, actions, children }: PanelProps) {
  return (
    <section class="panel">
      <header>
        <h2>{title}</h2>
        {note !== undefined && <span class="muted">{note}</span>}
        {actions !== undefined && <div class="panel-actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
