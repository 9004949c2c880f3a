import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useId, useState } from 'preact/hooks';
import { api, Refused, send } from '../api/client.js';
import { keep, kept } from '../browser/storage.js';
import type { Caller } from '../api/shapes.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';

/** That the browser has a session, which no script can see by itself. */
const SIGNED_IN = 'signed-in';

/** Signs this browser in and out, by a key or a token. */
export function LoginPage(): JSX.Element {
  const auth = useAuth();
  return (
    <>
      <PageHead title={WORDS.pages.login} />
      {auth === 'off' ? <p class="empty">{WORDS.login.off}</p> : <KeyForm auth={auth} />}
      {auth === 'off' ? null : <Session />}
    </>
  );
}

function KeyForm({ auth }: { readonly auth: string }): JSX.Element {
  const [key, type] = useState('');
  const { fault, sign } = useSigning();
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
      {auth === 'oidc' ? null : <p class="faint">{WORDS.login.about}</p>}
      {auth.includes('oidc') ? <p class="faint">{WORDS.login.aboutToken}</p> : null}
      <p role="alert" class="error-text">
        {fault}
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
  if (!auth.includes('oidc')) return WORDS.login.key;
  return auth === 'oidc' ? WORDS.login.token : WORDS.login.keyOrToken;
}

/** Whose session this browser has, and the way out of it; nothing where it has none. */
function Session(): JSX.Element | null {
  const caller = useCaller();
  if (caller === null || caller.everybody) return null;
  const leave = (): void => {
    keep(SIGNED_IN, null);
    void api.signOut().finally(() => location.reload());
  };
  const { name, role } = caller;
  return (
    <div class="panel narrow">
      <p>{WORDS.login.as.replace('{name}', name).replace('{role}', role)}</p>
      <div class="buttons">
        <button type="button" onClick={leave}>
          {WORDS.login.out}
        </button>
      </div>
    </div>
  );
}

function useCaller(): Caller | null {
  const [caller, set] = useState<Caller | null>(null);
  useEffect(() => {
    if (kept(SIGNED_IN) === null) return undefined;
    const controller = new AbortController();
    api.caller(controller.signal).then(set, () => {});
    return () => controller.abort();
  }, []);
  return caller;
}

interface Signing {
  readonly fault: string | null;
  readonly sign: (key: string) => Promise<void>;
}

/** A key is kept, by the browser alone, once the server has taken it. */
function useSigning(): Signing {
  const { route } = useLocation();
  const [fault, say] = useState<string | null>(null);
  const sign = async (key: string): Promise<void> => {
    try {
      await api.signIn(key);
      keep(SIGNED_IN, 'yes');
      route('/console/');
    } catch (error) {
      say(error instanceof Refused ? WORDS.login.wrong : WORDS.away);
    }
  };
  return { fault, sign };
}

/** Readiness tells what requests must show; until it has, an API key. */
function useAuth(): string {
  const [auth, set] = useState('keys');
  useEffect(() => {
    const controller = new AbortController();
    send('/readyz', { signal: controller.signal })
      .then((response) => response.json())
      .then(
        (body: { readonly auth?: string }) => set(body.auth ?? 'keys'),
        () => {},
      );
    return () => controller.abort();
  }, []);
  return auth;
}
