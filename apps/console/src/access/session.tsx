import { createContext, type ComponentChildren, type JSX } from 'preact';
import { useContext, useEffect, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import type { Caller } from '../api/shapes.js';
import { keep, kept } from '../browser/storage.js';
import { type Polled, usePaced } from '../ui/polled.js';
import { type Readiness, useReadiness } from '../ui/readiness.js';
import { hasRightsOf, type Role, rulesAll } from './rights.js';

/** That the browser has a session, which no script can see by itself. */
const SIGNED_IN = 'signed-in';
/** The rights of a key may change while a page is open. */
const EVERY_MS = 60_000;
const READY_EVERY_MS = 5_000;

interface Session {
  /** Null: nobody has signed in here, or it is not known yet. */
  readonly caller: Caller | null;
  /** Whether the browser has signed in. */
  readonly isSignedIn: boolean;
  /** Tells what the server can reach, and how people sign in to it. */
  readonly readiness: Polled<Readiness>;
  /** A person has signed in, or out. */
  readonly change: (isSignedIn: boolean) => void;
}

const NOBODY: Session = {
  caller: null,
  isSignedIn: false,
  readiness: { value: null, isAway: false, refusal: null },
  change: () => {},
};
const Shared = createContext<Session>(NOBODY);

/** Knows for all pages as whom the reader is signed in. */
export function SessionProvider({
  children,
}: {
  readonly children: ComponentChildren;
}): JSX.Element {
  const [turn, setTurn] = useState(0);
  const isSignedIn = kept(SIGNED_IN) !== null;
  const ask = async (signal: AbortSignal): Promise<Caller | null> =>
    isSignedIn ? api.caller(signal) : null;
  const pace = { everyMs: EVERY_MS, wish: 0 };
  const { refusal, value } = usePaced(`caller ${turn} ${isSignedIn}`, ask, pace);
  const change = (isIn: boolean): void => {
    keep(SIGNED_IN, isIn ? 'yes' : null);
    setTurn(turn + 1);
  };
  const isOver = refusal?.problem.code === 'UNAUTHENTICATED';
  // Pages that wait to know who it is would wait for good; now they ask, and lead to the sign-in.
  useEffect(() => {
    if (isOver) change(false);
  }, [isOver]);
  const readiness = useReadiness(READY_EVERY_MS);
  const shared = { caller: value, isSignedIn, readiness, change };
  return <Shared.Provider value={shared}>{children}</Shared.Provider>;
}

/** How people sign in. */
interface SignInWays {
  /** The credentials that requests must show; until the server has told: API keys. */
  readonly auth: string;
  /** Where the way to an identity provider begins; null: there is none. */
  readonly signIn: string | null;
}

/** The ways to sign in, as readiness tells them. */
export function useSignInWays(): SignInWays {
  const { auth = 'keys', signIn = null } = useSession().readiness.value ?? {};
  return { auth, signIn };
}

/** Whether there is something that people may enter: certificates and proxies need nothing. */
export function takesText(auth: string): boolean {
  return auth === 'token' || auth.includes('keys') || auth.includes('oidc');
}

export function useSession(): Session {
  return useContext(Shared);
}

/** The rights of the reader, as far as the page can tell: the server decides. */
interface Rights {
  readonly may: (role: Role) => boolean;
  /** Whether pages about everything at once are shown, such as the audit log. */
  readonly isRuler: boolean;
  /** Whether it is known who the reader is. */
  readonly isKnown: boolean;
}

/**
 * Where nobody is asked to sign in, everything may be pressed. A person who has signed in is shown
 * nothing to press until it is known who it is.
 */
export function useRights(): Rights {
  const { caller, isSignedIn } = useSession();
  if (!isSignedIn) return { may: () => true, isRuler: true, isKnown: true };
  if (caller === null) return { may: () => false, isRuler: false, isKnown: false };
  return { may: (role) => hasRightsOf(caller, role), isRuler: rulesAll(caller), isKnown: true };
}
