import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useId, useState } from 'preact/hooks';
import { api, credentials, Refused, send, setToken } from '../api/client.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';

/** Takes the key or token that requests carry from now on. */
export function LoginPage(): JSX.Element {
  const auth = useAuth();
  return (
    <>
      <PageHead title={WORDS.pages.login} />
      {auth === 'off' ? <p class="empty">{WORDS.login.off}</p> : <KeyForm auth={auth} />}
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
        <SignOut />
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

function SignOut(): JSX.Element | null {
  if (Object.keys(credentials()).length === 0) return null;
  const leave = (): void => {
    setToken(null);
    location.reload();
  };
  return (
    <button type="button" onClick={leave}>
      {WORDS.login.out}
    </button>
  );
}

interface Signing {
  readonly fault: string | null;
  readonly sign: (key: string) => Promise<void>;
}

/** A key is kept once the server has taken it. */
function useSigning(): Signing {
  const { route } = useLocation();
  const [fault, say] = useState<string | null>(null);
  const sign = async (key: string): Promise<void> => {
    setToken(key === '' ? null : key);
    try {
      await api.tasks(new URLSearchParams({ limit: '1' }));
      route('/console/');
    } catch (error) {
      setToken(null);
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
