import { useEffect, useState } from 'preact/hooks';
import type { Verdict } from './verdict.ts';

/** The verdict of a verification, made again when something of `on` changes; undefined while it is made. */
export function useVerdict(verify: () => Promise<Verdict>, on: readonly unknown[]): Verdict | undefined {
  const [made, setMade] = useState<{ readonly of: string; readonly verdict: Verdict }>();
  const of = JSON.stringify(on);
  useEffect(() => {
    let isCurrent = true;
    void verify().then((verdict) => isCurrent && setMade({ of, verdict }));
    return () => {
      isCurrent = false;
    };
  }, [of]);
  return made?.of === of ? made.verdict : undefined;
}
