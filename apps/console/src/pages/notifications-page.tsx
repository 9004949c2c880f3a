import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useRights } from '../access/session.js';
import { api } from '../api/client.js';
import type { ChannelMembers, Notification } from '../api/shapes.js';
import { failureText } from '../ui/dialog-parts.js';
import { LongText } from '../ui/long-text.js';
import { RemoveDialog } from '../ui/remove-dialog.js';
import { WORDS } from '../words.js';
import { Head } from '../ui/table-head.js';
import { ListedPage } from './listed-page.js';
import { DeliveryLog, wordOf } from './delivery-log.js';
import { NotificationForm } from './notification-form.js';

const { notifications: TEXT } = WORDS;

/** The notifications, and the log of the messages of each. */
export function NotificationsPage(): JSX.Element {
  const { about, none } = TEXT;
  const { may } = useRights();
  const [isAdding, setAdding] = useState(false);
  const [logOf, showLog] = useState<string | null>(null);
  const action = may('author') && (
    <button type="button" class="main" onClick={() => setAdding(true)}>
      {TEXT.add}
    </button>
  );
  return (
    <>
      <ListedPage
        name="notifications"
        limit={200}
        everyMs={2_000}
        {...{ about, action, none }}
        show={(items) => table(items, showLog)}
      />
      {logOf !== null && <DeliveryLog name={logOf} onClose={() => showLog(null)} />}
      {isAdding && <NotificationForm notification={null} onClose={() => setAdding(false)} />}
    </>
  );
}

type ShowLog = (name: string) => void;

function table(notifications: readonly Notification[], showLog: ShowLog): JSX.Element {
  return (
    <table class="rows lists" aria-label={WORDS.pages.notifications}>
      <Head columns={TEXT.columns} />
      <tbody>
        {notifications.map((notification) => (
          <Row key={notification.name} {...{ notification, showLog }} />
        ))}
      </tbody>
    </table>
  );
}

const DIALOGS = ['edit', 'remove'] as const;

type Dialog = (typeof DIALOGS)[number];

interface RowProps {
  readonly notification: Notification;
  readonly showLog: ShowLog;
}

/** One notification, with what may be done to it. */
function Row({ notification, showLog }: RowProps): JSX.Element {
  const { name, on, q, throttle } = notification;
  const [dialog, open] = useState<Dialog | null>(null);
  const [told, test] = useTest(name);
  const isAuthor = useRights().may('author');
  const onClose = (): void => open(null);
  return (
    <tr>
      <td class="cell-name">
        <bdi>{name}</bdi>
      </td>
      <td>{on.map((kind) => wordOf(kind)).join(', ')}</td>
      <td data-name={TEXT.columns[2]}>{q === null ? TEXT.all : <code>{q}</code>}</td>
      <td>
        <LongText text={channelText(notification)} />
      </td>
      <td data-name={TEXT.columns[4]}>
        {throttle === 0 ? TEXT.anyTime : WORDS.time.seconds(throttle)}
      </td>
      <td>
        <div class="buttons">
          {isAuthor && (
            <button type="button" aria-label={`${TEXT.test} ${name}`} onClick={test}>
              {TEXT.test}
            </button>
          )}
          <button type="button" aria-label={`${TEXT.log} ${name}`} onClick={() => showLog(name)}>
            {TEXT.log}
          </button>
          {(isAuthor ? DIALOGS : []).map((each) => (
            <button
              key={each}
              type="button"
              aria-label={`${TEXT[each]} ${name}`}
              onClick={() => open(each)}>
              {TEXT[each]}
            </button>
          ))}
        </div>
        <p role="status" class="faint">
          {told}
        </p>
        {dialog === 'edit' && <NotificationForm {...{ notification, onClose }} />}
        {dialog === 'remove' && <RemoveNotification {...{ name, onClose }} />}
      </td>
    </tr>
  );
}

/** The result of the last test message, and a function that sends one. */
function useTest(name: string): readonly [told: string | null, test: () => void] {
  const [told, tell] = useState<string | null>(null);
  const test = async (): Promise<void> => {
    tell(WORDS.loading);
    try {
      const { lastError } = await api.testNotification(name);
      tell(lastError ?? TEXT.tested);
    } catch (failure) {
      tell(failureText(failure));
    }
  };
  return [told, () => void test()];
}

function channelText({ channel }: Notification): string {
  const { server, to, type, url }: ChannelMembers = channel;
  return [type, url ?? server, to].filter((part) => part !== undefined).join(' ');
}

interface RemoveProps {
  readonly name: string;
  readonly onClose: () => void;
}

function RemoveNotification({ name, onClose }: RemoveProps): JSX.Element {
  const remove = (): Promise<void> => api.removeNotification(name);
  return <RemoveDialog words={TEXT.remove} ask={TEXT.removeAsk} {...{ name, onClose, remove }} />;
}
