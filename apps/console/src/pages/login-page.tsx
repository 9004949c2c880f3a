import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useId, useState } from 'preact/hooks';
import { api } from '../api/client.js';
import { Refused } from '../api/exchange.js';
import { takesText, useSession, useSignInWays } from '../access/session.js';
import { failureText } from '../ui/dialog-parts.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';

/** Signs this browser in and out: at an identity provider, or by a key or a token. */
export function LoginPage(): JSX.Element {
  const { auth, signIn } = useSignInWays();
  const fault = useLink();
  useReturn();
  return (
    <>
      <PageHead title={WORDS.pages.login} />
      {signIn === null ? null : <Provider place={signIn} />}
      {takesText(auth) ? (
        <KeyForm auth={auth} before={fault} />
      ) : (
        <p class="empty">{auth === 'off' ? WORDS.login.off : WORDS.login.outside}</p>
      )}
      {auth === 'off' ? null : <Session />}
    </>
  );
}

/** A link that signs in has its secret behind `#`. Returns what went wrong with it. */
function useLink(): string | null {
  const { fault, sign } = useSigning(WORDS.login.usedLink);
  useEffect(() => {
    const ticket = takeFragment('ticket');
    if (ticket !== null) void sign(ticket);
  }, []);
  return fault;
}

/** The way to the identity provider, which sends the browser back to the page that was wanted. */
function Provider({ place }: { readonly place: string }): JSX.Element {
  const { query } = useLocation();
  const wanted = pageIn(query['from']);
  const search = wanted === null ? '' : `?returnTo=${encodeURIComponent(wanted)}`;
  return (
    <div class="panel narrow">
      <p class="faint">{WORDS.login.aboutProvider}</p>
      <div class="buttons">
        <a class="button main" href={`${place}${search}`}>
          {WORDS.login.atProvider}
        </a>
      </div>
    </div>
  );
}

/** A person who comes from the provider has a session, and goes on to the page they wanted. */
function useReturn(): void {
  const { query, route } = useLocation();
  const { change } = useSession();
  const to = pageIn(query['to']);
  useEffect(() => {
    if (to === null) return;
    change(true);
    route(to, true);
  }, [to]);
}

interface KeyFormProps {
  readonly auth: string;
  /** The fault of a link, until a person tries a key; null: it has none. */
  readonly before: string | null;
}

function KeyForm({ auth, before }: KeyFormProps): JSX.Element {
  const [key, type] = useState('');
  const { fault, sign } = useSigning(WORDS.login.wrong);
  const id = useId();
  const submit = (event: Event): void => {
    event.preventDefault();
    void sign(key.trim());
  };
  return (
    <form class="panel narrow" onSubmit={submit}>
      <div class="field">
        <label for={id}>{labelOf(auth)}</label>
        <input
          id={id}
          type="password"
          autocomplete="current-password"
          value={key}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </div>
      {auth === 'token' ? <p class="faint">{WORDS.login.aboutMachine}</p> : null}
      {auth.includes('keys') ? <p class="faint">{WORDS.login.about}</p> : null}
      {auth.includes('oidc') ? <p class="faint">{WORDS.login.aboutToken}</p> : null}
      <p role="alert" class="error-text">
        {fault ?? before}
      </p>
      <div class="buttons">
        <button type="submit" class="main">
          {WORDS.login.sign}
        </button>
      </div>
    </form>
  );
}

function labelOf(auth: string): string {
  if (auth === 'token') return WORDS.login.token;
  if (!auth.includes('oidc')) return WORDS.login.key;
  return auth === 'oidc' ? WORDS.login.token : WORDS.login.keyOrToken;
}

/**
 * The owner of this browser's session, and the way out of it; nothing where there is no session.
 */
function Session(): JSX.Element | null {
  const { caller, change } = useSession();
  const [fault, say] = useState<string | null>(null);
  if (caller === null || caller.everybody) return null;
  // The page says that nobody is signed in only once the browser has no session any more.
  const leave = (): void => {
    api.signOut().then(
      () => change(false),
      (failure: unknown) => say(failureText(failure)),
    );
  };
  const { name, role } = caller;
  return (
    <div class="panel narrow">
      <p>{WORDS.login.as.replace('{name}', name).replace('{role}', role)}</p>
      <p role="alert" class="error-text">
        {fault}
      </p>
      <div class="buttons">
        <button type="button" onClick={leave}>
          {WORDS.login.out}
        </button>
      </div>
    </div>
  );
}

interface Signing {
  readonly fault: string | null;
  readonly sign: (key: string) => Promise<void>;
}

/** A key is kept, by the browser alone, once the server has taken it. */
function useSigning(refused: string): Signing {
  const { query, route } = useLocation();
  const { change } = useSession();
  const [fault, say] = useState<string | null>(null);
  const sign = async (key: string): Promise<void> => {
    try {
      await api.signIn(key);
      change(true);
      route(pageIn(query['from']) ?? '/console/');
    } catch (error) {
      const isUnknown = error instanceof Refused && error.problem.code === 'UNAUTHENTICATED';
      say(isUnknown ? refused : failureText(error));
    }
  };
  return { fault, sign };
}

/** The page that an address names, which anybody may have written; null: it is none of ours. */
function pageIn(text: string | undefined): string | null {
  return text?.startsWith('/console/') === true ? text : null;
}

/**
 * The value of a name in what stands behind `#` in the address; null: it is not there. It is taken
 * out of the address, and so out of the history of the browser.
 */
function takeFragment(name: string): string | null {
  const { hash, pathname, search } = window.location;
  const value = new URLSearchParams(hash.slice(1)).get(name);
  if (value !== null) window.history.replaceState(null, '', `${pathname}${search}`);
  return value;
}
