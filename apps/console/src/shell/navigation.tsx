import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { useEffect, useState } from 'preact/hooks';
import { takesText, useRights, useSession, useSignInWays } from '../access/session.js';
import { keep, kept } from '../browser/storage.js';
import { useOffer } from '../palette/commands.js';
import { Icon, type IconName } from '../ui/icons.js';
import { WORDS } from '../words.js';

const MAIN = [
  ['/console/', WORDS.pages.overview],
  ['/console/tasks', WORDS.pages.tasks],
  ['/console/inbox', WORDS.pages.inbox],
  ['/console/flows', WORDS.pages.flows],
] as const;

const LOGIN = '/console/login';

const MORE = [
  ['/console/executors', WORDS.pages.executors],
  ['/console/schedules', WORDS.pages.schedules],
  ['/console/notifications', WORDS.pages.notifications],
  ['/console/locks', WORDS.pages.locks],
  ['/console/operations', WORDS.pages.operations],
  ['/console/audit', WORDS.pages.audit],
  [LOGIN, WORDS.pages.login],
] as const;

/** These pages are about everything at once: an admin’s. */
const RULED: ReadonlySet<string> = new Set(['/console/audit']);

const THEME_ICONS = { system: 'half', light: 'sun', dark: 'moon' } as const satisfies Record<
  Theme,
  string
>;

interface NavigationProps {
  readonly onHelp: () => void;
  readonly onPalette: () => void;
}

const THEMES = ['system', 'light', 'dark'] as const;

type Theme = (typeof THEMES)[number];

const NAME = 'theme';

/** The bar above every page. */
export function Navigation({ onHelp, onPalette }: NavigationProps): JSX.Element {
  const [theme, nextTheme, choose] = useTheme();
  const { path, route } = useLocation();
  const { isRuler } = useRights();
  const { isSignedIn } = useSession();
  const { auth, signIn } = useSignInWays();
  const hasSignIn = isSignedIn || signIn !== null || takesText(auth);
  const others = MORE.filter(([to]) => (to === LOGIN ? hasSignIn : isRuler || !RULED.has(to)));
  useOffer([
    ...[...MAIN, ...others].map(([to, words]) => {
      return { id: `page ${to}`, kind: 'page', words, run: () => route(to) } as const;
    }),
    ...THEMES.map((one) => {
      const words = WORDS.theme[one];
      return { id: `theme ${one}`, kind: 'setting', words, run: () => choose(one) } as const;
    }),
    { id: 'keys', kind: 'setting', words: WORDS.keys, run: onHelp },
  ]);
  const isMore = others.some(([to]) => isAt(path, to));
  return (
    <header class="bar">
      <a class="brand" href="/console/">
        <Icon name="back" />
        {WORDS.product}
      </a>
      <nav aria-label={WORDS.navigation}>
        {MAIN.map(([to, name]) => (
          <PageLink key={to} to={to} name={name} path={path} />
        ))}
        <details class="more" key={path}>
          <summary class={isMore ? 'is-here' : ''}>{WORDS.more}</summary>
          <div class="more-list">
            {others.map(([to, name]) => (
              <PageLink key={to} to={to} name={name} path={path} />
            ))}
            <a href="/docs/contents">{WORDS.docs}</a>
            <a href="/docs">{WORDS.api}</a>
          </div>
        </details>
      </nav>
      <div class="bar-end">
        <BarButton words={WORDS.palette.open} icon="search" onClick={onPalette} />
        <BarButton words={WORDS.keys} icon="keys" onClick={onHelp} />
        <BarButton words={WORDS.theme[theme]} icon={THEME_ICONS[theme]} onClick={nextTheme} />
      </div>
    </header>
  );
}

interface BarButtonProps {
  readonly words: string;
  readonly icon: IconName;
  readonly onClick: () => void;
}

function BarButton({ icon, onClick, words }: BarButtonProps): JSX.Element {
  return (
    <button type="button" class="quiet" aria-label={words} title={words} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}

interface PageLinkProps {
  readonly to: string;
  readonly name: string;
  readonly path: string;
}

function PageLink({ name, path, to }: PageLinkProps): JSX.Element {
  return (
    <a href={to} {...(isAt(path, to) && { 'aria-current': 'page' as const })}>
      {name}
    </a>
  );
}

function isAt(path: string, to: string): boolean {
  return to === '/console/' ? /^\/console\/?$/.test(path) : `${path}/`.startsWith(`${to}/`);
}

/** The colours that the reader chose, how to choose the next, and how to choose any. */
function useTheme(): readonly [Theme, () => void, (theme: Theme) => void] {
  const [theme, set] = useState<Theme>(
    () => THEMES.find((known) => known === kept(NAME)) ?? 'system',
  );
  useEffect(() => {
    keep(NAME, theme === 'system' ? null : theme);
    const system = matchMedia('(prefers-color-scheme: dark)');
    const show = (): void => {
      document.documentElement.dataset['theme'] = colours(theme, system.matches);
    };
    show();
    system.addEventListener('change', show);
    return () => system.removeEventListener('change', show);
  }, [theme]);
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] ?? 'system';
  return [theme, () => set(next), set];
}

/** The palette of a choice: the styles have each once, so that the system's is named here. */
function colours(theme: Theme, isSystemDark: boolean): Exclude<Theme, 'system'> {
  if (theme !== 'system') return theme;
  return isSystemDark ? 'dark' : 'light';
}
