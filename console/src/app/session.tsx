import { createContext, type ComponentChildren } from 'preact';
import { useCallback, useContext, useEffect, useMemo, useState } from 'preact/hooks';
import { useQueryClient } from '@tanstack/preact-query';
import { ProblemError, Stratalog, type Caller } from '@stratalog/client';
import { SignIn } from './sign-in.tsx';
import { Loading, Trouble } from '../ui/answer.tsx';

/** Kept for this tab only: `sessionStorage` ends with it. */
const keyName = 'stratalog.key';
const userName = 'stratalog.user';
/** How often the console asks whether the role of the key has changed. */
const checkMs = 60_000;

/** Who uses the console, and the client that calls the API for them. */
export interface Session {
  /** Different for each sign-in, so that answers of one credential are never shown for another. */
  readonly id: string;
  readonly client: Stratalog;
  /** Reads what the server offers beside the API, such as `/metrics`, with the same credential. */
  readonly fetch: (path: string, signal: AbortSignal) => Promise<Response>;
  readonly who: Caller;
  /** The user that an agent acts for. */
  readonly servedUser: string | undefined;
  /** Makes an agent act for a user, or for nobody if empty; undefined for other roles. Rejects if the key does not cover the user. */
  readonly serve: ((user: string) => Promise<void>) | undefined;
  /** Whether the role may call an operation, by its `operationId` in the OpenAPI document. What it may not call is not shown. */
  readonly may: (operation: string) => boolean;
  /** Forgets the key. Undefined for the development identity, which has none. */
  readonly signOut: (() => void) | undefined;
}

const Current = createContext<Session | undefined>(undefined);

/** The session of the person who uses the console. Only below `SessionGate`. */
export const useSession = (): Session => useContext(Current)!;

interface Signed {
  readonly key: string;
  readonly user: string;
  readonly who: Caller;
}

function clientWith(key: string, user: string): Stratalog {
  const client = new Stratalog({ url: location.origin, apiKey: key });
  return user === '' ? client : client.onBehalfOf(user);
}

function forget(): void {
  sessionStorage.removeItem(keyName);
  sessionStorage.removeItem(userName);
}

/** Shows its children to a caller with a valid credential, and otherwise asks for a key. */
export function SessionGate({ children }: { readonly children: ComponentChildren }) {
  const queries = useQueryClient();
  const [signed, setSigned] = useState<Signed>();
  const [failure, setFailure] = useState<Error>();
  const [needsKey, setNeedsKey] = useState(false);

  const signIn = useCallback(async (key: string, user = '') => {
    const who = await clientWith(key, user).whoami();
    if (key !== '') sessionStorage.setItem(keyName, key);
    sessionStorage.setItem(userName, user);
    setSigned({ key, user, who });
    setNeedsKey(false);
  }, []);

  const check = useCallback(() => {
    setFailure(undefined);
    const key = sessionStorage.getItem(keyName) ?? '';
    const user = sessionStorage.getItem(userName) ?? '';
    return signIn(key, user).catch((error: Error) => {
      const isRefused = error instanceof ProblemError && [401, 403].includes(error.status);
      if (!isRefused) return setFailure(error);
      forget();
      queries.clear();
      setSigned(undefined);
      setNeedsKey(true);
    });
  }, [signIn, queries]);

  useEffect(() => {
    void check();
    const timer = setInterval(() => void check(), checkMs);
    return () => clearInterval(timer);
  }, [check]);

  // The first call with a revoked key is refused, which is earlier than the next check.
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        const error = event.type === 'updated' && event.action.type === 'error' && event.action.error;
        if (error instanceof ProblemError && error.status === 401) void check();
      }),
    [check, queries],
  );

  const session = useMemo<Session | undefined>(() => {
    if (!signed) return undefined;
    const { key, user, who } = signed;
    const operations = new Set(who.operations);
    return {
      id: `${who.tenant}/${who.user ?? ''}/${who.role}/${key.slice(-6)}`,
      client: clientWith(key, user),
      fetch: (path, signal) =>
        fetch(path, { signal, headers: key === '' ? {} : { authorization: `Bearer ${key}` } }),
      who,
      servedUser: user === '' ? undefined : user,
      serve: who.role === 'agent' ? (other) => signIn(key, other) : undefined,
      may: (operation) => operations.has(operation),
      signOut:
        key === ''
          ? undefined
          : () => {
              forget();
              queries.clear();
              setSigned(undefined);
              setNeedsKey(true);
            },
    };
    // The client and its positions stay as long as nothing about the caller changes.
  }, [signed?.key, signed?.user, JSON.stringify(signed?.who)]);

  if (session) return <Current.Provider value={session}>{children}</Current.Provider>;
  if (needsKey) return <SignIn onKey={signIn} />;
  if (failure) return <Trouble error={failure} onRepeat={() => void check()} />;
  return <Loading what="the console" />;
}
