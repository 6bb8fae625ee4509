import { useState } from 'preact/hooks';

const storageName = 'stratalog.verifier-key';

/** The key that heads are verified with. It is public, so it may outlive the tab. */
export interface KeptKey {
  readonly key: string | undefined;
  readonly keep: (key: string | undefined) => void;
}

/** The verifier key that the reader has given to this browser; undefined if they have given none. */
export function useVerifierKey(): KeptKey {
  const [key, setKey] = useState<string | undefined>(localStorage.getItem(storageName) ?? undefined);
  return {
    key,
    keep(given) {
      if (given === undefined) localStorage.removeItem(storageName);
      else localStorage.setItem(storageName, given);
      setKey(given);
    },
  };
}
