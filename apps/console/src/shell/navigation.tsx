import type { JSX } from 'preact';
import { useLocation } from 'preact-iso';
import { Icon } from '../ui/icons.js';
import { WORDS } from '../words.js';
import { type Theme, useTheme } from './theme.js';

const MAIN = [
  ['/console/', WORDS.pages.overview],
  ['/console/tasks', WORDS.pages.tasks],
  ['/console/inbox', WORDS.pages.inbox],
  ['/console/flows', WORDS.pages.flows],
] as const;

const MORE = [
  ['/console/executors', WORDS.pages.executors],
  ['/console/schedules', WORDS.pages.schedules],
  ['/console/notifications', WORDS.pages.notifications],
  ['/console/locks', WORDS.pages.locks],
  ['/console/operations', WORDS.pages.operations],
  ['/console/audit', WORDS.pages.audit],
  ['/console/login', WORDS.pages.login],
] as const;

const THEME_ICONS = { system: 'half', light: 'sun', dark: 'moon' } as const satisfies Record<
  Theme,
  string
>;

/** The bar above every page. */
export function Navigation({ onHelp }: { readonly onHelp: () => void }): JSX.Element {
  const [theme, nextTheme] = useTheme();
  const { path } = useLocation();
  const isMore = MORE.some(([to]) => isAt(path, to));
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
            {MORE.map(([to, name]) => (
              <PageLink key={to} to={to} name={name} path={path} />
            ))}
            <a href="/docs">{WORDS.api}</a>
          </div>
        </details>
      </nav>
      <div class="bar-end">
        <button
          type="button"
          class="quiet"
          aria-label={WORDS.keys}
          title={WORDS.keys}
          onClick={onHelp}
        >
          <Icon name="keys" />
        </button>
        <button
          type="button"
          class="quiet"
          aria-label={WORDS.theme[theme]}
          title={WORDS.theme[theme]}
          onClick={nextTheme}
        >
          <Icon name={THEME_ICONS[theme]} />
        </button>
      </div>
    </header>
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
