import type { JSX } from 'preact';
import { LocationProvider, Route, Router, useLocation, useRoute } from 'preact-iso';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { SessionProvider, useSession } from '../access/session.js';
import { FlowPage } from '../flows/flow-page.js';
import { FlowsPage } from '../flows/flows-page.js';
import { OperationsPage } from '../operations/operations-page.js';
import { AuditPage } from '../pages/audit-page.js';
import { ExecutorsPage } from '../pages/executors-page.js';
import { InboxPage } from '../pages/inbox-page.js';
import { LocksPage } from '../pages/locks-page.js';
import { LoginPage } from '../pages/login-page.js';
import { OverviewPage } from '../pages/overview-page.js';
import { NotificationsPage } from '../pages/notifications-page.js';
import { SchedulesPage } from '../pages/schedules-page.js';
import { Palette } from '../palette/palette.js';
import { TaskPage } from '../task/task-page.js';
import { TasksPage } from '../tasks/tasks-page.js';
import { Modal } from '../ui/modal.js';
import { ObstacleNotice } from '../ui/notices.js';
import { Outcome } from '../ui/outcome.js';
import { PageHead } from '../ui/page-head.js';
import { useParts } from '../ui/parts.js';
import { WORDS } from '../words.js';
import { keepFocus } from './kept-focus.js';
import { Navigation } from './navigation.js';
import { notedPlace, notePlaces, returnTo } from './places.js';
import { areKeysOn, listenToKeys, type Shortcuts, turnKeys } from './shortcuts.js';

const MENU = 'details.more';

/** The console: a bar, and the page that the address names. */
export function App(): JSX.Element {
  return (
    <LocationProvider scope="/console">
      <SessionProvider>
        <Frame />
      </SessionProvider>
    </LocationProvider>
  );
}

function Frame(): JSX.Element {
  const [isHelp, setHelp] = useState(false);
  const { route } = useLocation();
  const { readiness } = useSession();
  const [isPalette, setPalette] = useState(false);
  const shortcuts = { go: route, help: () => setHelp(true), palette: () => setPalette(true) };
  const keys = useRef<Shortcuts>(shortcuts);
  keys.current = shortcuts;
  // Before the page is drawn: whoever sees it may press a key.
  useLayoutEffect(() => listenToKeys(() => keys.current), []);
  const content = useRef<HTMLElement>(null);
  const parts = useParts(1);
  useLayoutEffect(notePlaces, []);
  useLayoutEffect(listenToMenus, []);
  useEffect(() => (content.current === null ? undefined : keepFocus(content.current)), []);
  return (
    <>
      <a class="skip" href="#content">
        {WORDS.skip}
      </a>
      <Navigation onHelp={shortcuts.help} onPalette={shortcuts.palette} />
      <main id="content" tabIndex={-1} ref={content}>
        <ObstacleNotice readiness={readiness} />
        {parts > 0 && <Pages />}
      </main>
      <Outcome />
      {isPalette && <Palette onClose={() => setPalette(false)} />}
      {isHelp && <Help onClose={() => setHelp(false)} />}
    </>
  );
}

function Pages(): JSX.Element {
  return (
    <Router onRouteChange={arrive}>
      <Route path="/console" component={OverviewPage} />
      <Route path="/console/tasks" component={TasksPage} />
      <Route path="/console/tasks/:taskId" component={TaskPage} />
      <Route path="/console/flows" component={FlowsPage} />
      <Route path="/console/new-flow" component={FlowEditor} />
      <Route path="/console/flows/:name" component={FlowPage} />
      <Route path="/console/flows/:name/edit" component={FlowEditor} />
      <Route path="/console/inbox" component={InboxPage} />
      <Route path="/console/login" component={LoginPage} />
      <Route path="/console/executors" component={ExecutorsPage} />
      <Route path="/console/locks" component={LocksPage} />
      <Route path="/console/operations" component={OperationsPage} />
      <Route path="/console/audit" component={AuditPage} />
      <Route path="/console/schedules" component={SchedulesPage} />
      <Route path="/console/notifications" component={NotificationsPage} />
      <Route default component={LostPage} />
    </Router>
  );
}

interface EditorProps {
  /** Of the flow; empty: it has no name yet. */
  readonly name: string;
}

type Editor = (props: EditorProps) => JSX.Element;

let loaded: Editor | null = null;

/** The page on which a flow is written, loaded when it is opened: it is the largest of all. */
function FlowEditor(): JSX.Element {
  const { params } = useRoute();
  const [, again] = useState(0);
  useEffect(() => {
    if (loaded !== null) return;
    const load = async (): Promise<void> => {
      loaded = (await import('../editor/editor-page.js')).EditorPage;
      again(1);
    };
    void load();
  }, []);
  const Page = loaded;
  const name = params['name'] ?? '';
  return Page === null ? <p class="faint">{WORDS.loading}</p> : <Page key={name} name={name} />;
}

/**
 * A new page is announced by its heading; another search on the same page is not one. At once:
 * later, it would take the focus from a row that the reader has moved to meanwhile. On the way back
 * the reader goes on at the link that led away.
 */
function arrive(): void {
  const place = notedPlace();
  if (place === null) document.querySelector<HTMLElement>('h1')?.focus();
  else returnTo(place);
}

/** Lists the keys, and turns them off for who speaks to the machine. */
function Help({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [areOn, set] = useState(areKeysOn);
  const turn = (): void => {
    turnKeys(!areOn);
    set(!areOn);
  };
  return (
    <Modal title={WORDS.help.title} onClose={onClose}>
      <dl class="keys">
        {WORDS.help.list.map(([key, what]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
      <label class="choice">
        <input type="checkbox" checked={areOn} onChange={turn} />
        {WORDS.help.on}
      </label>
      <div class="buttons">
        <button type="button" onClick={onClose}>
          {WORDS.close}
        </button>
      </div>
    </Modal>
  );
}

/** Closes open menus by Escape, which gives the focus back, and by a press elsewhere. */
function listenToMenus(): () => void {
  const heard = new AbortController();
  const { signal } = heard;
  document.addEventListener('keydown', closeByKey, { signal });
  document.addEventListener('pointerdown', closeOthers, { signal });
  document.addEventListener('focusin', closeOthers, { signal });
  return () => heard.abort();
}

function openMenus(): readonly HTMLDetailsElement[] {
  return [...document.querySelectorAll<HTMLDetailsElement>(`${MENU}[open]`)];
}

function closeByKey(event: KeyboardEvent): void {
  if (event.key !== 'Escape' || event.defaultPrevented) return;
  for (const menu of openMenus()) {
    menu.open = false;
    if (menu.contains(document.activeElement)) menu.querySelector('summary')?.focus();
  }
}

function closeOthers({ target }: Event): void {
  for (const menu of openMenus()) {
    if (!(target instanceof Node && menu.contains(target))) menu.open = false;
  }
}

/** An address that is none of the console's. */
function LostPage(): JSX.Element {
  return (
    <>
      <PageHead title={WORDS.lost} />
      <p>
        <a href="/console/">{WORDS.pages.overview}</a>
      </p>
    </>
  );
}
