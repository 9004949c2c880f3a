import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useId, useState } from 'preact/hooks';
import { api, credentials, Refused, send, setToken } from '../api/client.js';
import { PageHead } from '../ui/page-head.js';
import { WORDS } from '../words.js';

/** Takes the key that requests carry from now on. */
export function LoginPage(): JSX.Element {
  const isOff = useIsOff();
  return (
    <>
      <PageHead title={WORDS.pages.login} />
      {isOff ? <p class="empty">{WORDS.login.off}</p> : <KeyForm />}
    </>
  );
}

function KeyForm(): JSX.Element {
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
        <label for={id}>{WORDS.login.key}</label>
        <input
          id={id}
          type="password"
          autocomplete="current-password"
          value={key}
          onInput={({ currentTarget }) => type(currentTarget.value)}
        />
      </div>
      <p class="faint">{WORDS.login.about}</p>
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

/** Readiness tells whether anybody is asked for a key. */
function useIsOff(): boolean {
  const [isOff, set] = useState(false);
  useEffect(() => {
    const controller = new AbortController();
    send('/readyz', { signal: controller.signal })
      .then((response) => response.json())
      .then(
        (body: { readonly auth?: string }) => set(body.auth === 'off'),
        () => {},
      );
    return () => controller.abort();
  }, []);
  return isOff;
}
