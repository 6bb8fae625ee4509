import { createContext, type ComponentChildren } from 'preact';
import { useContext, useEffect, useMemo, useState } from 'preact/hooks';
import type { Ask } from './asks.ts';

interface NotedCalls {
  readonly calls: readonly Ask[];
  readonly note: (call: Ask) => () => void;
}

const Noted = createContext<NotedCalls>({ calls: [], note: () => () => undefined });

/** Collects the calls of a view, so that its header can offer them as curl, client code and MCP calls. */
export function NotedCallsProvider({ children }: { readonly children: ComponentChildren }) {
  const [calls, setCalls] = useState<readonly Ask[]>([]);
  const noted = useMemo(
    () => ({
      calls,
      note(call: Ask) {
        setCalls((before) => [...before, call]);
        return () => setCalls((before) => before.filter((one) => one !== call));
      },
    }),
    [calls],
  );
  return <Noted.Provider value={noted}>{children}</Noted.Provider>;
}

export const useNotedCalls = (): readonly Ask[] => useContext(Noted).calls;

/** Offers a call for copying while the component is shown; undefined offers nothing. */
export function useNoteCall(call: Ask | undefined): void {
  const { note } = useContext(Noted);
  useEffect(() => (call ? note(call) : undefined), [call && JSON.stringify(call)]);
}
