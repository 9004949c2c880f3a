import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { openSqlite, type SqliteFile } from '#barrier';
import { commandContext, ManualClock, RecordingObserver, SystemClock } from '#testing';
import { Announcer } from './announcer.js';
import { EventExecutor } from './event.executor.js';
import { eventContract } from './event-suite-spec.js';
import { EventsController } from './monitor.module.js';
import { EVENT_TABLE, SqliteEvents } from './sqlite-events.js';
import { NotDelivered, Webhook, type WebhookMessage } from './webhook.js';

/** Takes messages, or not. */
class TestWebhook extends Webhook {
  readonly taken: WebhookMessage[] = [];
  isDown = false;

  override async send(message: WebhookMessage): Promise<void> {
    if (this.isDown) throw new NotDelivered('down');
    this.taken.push(message);
  }
}

eventContract('SQLite', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'backstep-events-'));
  const files: SqliteFile[] = [];
  const open = async () => {
    const migrations = [EVENT_TABLE];
    const place = path.join(folder, 'monitor.db');
    const file = await openSqlite({ clock: new SystemClock(), file: place, migrations });
    files.push(file);
    return new SqliteEvents(file);
  };
  const remove = async () => {
    for (const file of files) await file.close();
    rmSync(folder, { recursive: true });
  };
  return { open, remove };
});

describe('reporting events', () => {
  const clock = new SystemClock();
  let folder: string;
  let file: SqliteFile;
  let observer: RecordingObserver;
  let webhook: TestWebhook;
  let log: SqliteEvents;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-monitor-'));
    const migrations = [EVENT_TABLE];
    file = await openSqlite({ clock, file: path.join(folder, 'monitor.db'), migrations });
    log = new SqliteEvents(file);
    observer = new RecordingObserver();
    webhook = new TestWebhook({ url: 'http://localhost' }, clock);
  });

  afterEach(async () => {
    await file.close();
    rmSync(folder, { recursive: true });
  });

  const executor = (sender: Webhook | null = webhook) =>
    new EventExecutor(new Announcer({ clock, log, observer, webhook: sender }));
  const page = async () => (await new EventsController(log).events({})).items;

  it.each([{ limit: '0' }, { limit: 'all' }, { taskId: ['a', 'b'] }, { task: 'a' }])(
    'lists none for %j',
    async (query) => {
      const listed = new EventsController(log).events(query);
      await expect(listed).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    },
  );

  it('stores, logs and sends an event once, however often it is attempted', async () => {
    const context = commandContext({ direction: 'rollback' });
    await executor().reportEvent({}, context);
    await executor().reportEvent({}, context);
    const message = 'task task-1 of flow flow was rolled back to step';
    expect(await page()).toMatchObject([{ taskId: 'task-1', message, severity: 'warning' }]);
    expect(observer.notices.map(({ level, name }) => [level, name])).toEqual([
      ['warn', 'event_reported'],
    ]);
    expect(webhook.taken).toHaveLength(1);
  });

  it('sends an event until the receiver has it, always under one id', async () => {
    webhook.isDown = true;
    const attempt = () => executor().reportEvent({ message: 'm' }, commandContext());
    await expect(attempt()).rejects.toMatchObject({ name: 'RetryableError', message: 'down' });
    expect(await page()).toMatchObject([{ message: 'm', severity: 'info', delivered: false }]);
    webhook.isDown = false;
    await attempt();
    expect(await page()).toMatchObject([{ delivered: true }]);
    expect(webhook.taken.map(({ id }) => id)).toEqual([commandContext().idempotencyKey]);
  });

  it('raises an alert that Alertmanager users can read', async () => {
    const context = commandContext({ taskId: 'alert-1', flow: 'own', idempotencyKey: 'k' });
    const about = { taskId: 'task-1', flow: 'flow', step: 'step' };
    await executor().raiseAlert(about, context);
    expect(webhook.taken).toMatchObject([
      {
        id: 'k',
        body: {
          version: '4',
          status: 'firing',
          alerts: [
            {
              status: 'firing',
              labels: {
                alertname: 'BackstepRollbackFailed',
                severity: 'critical',
                task_id: 'task-1',
              },
              annotations: { summary: 'the rollback of step step of task task-1 failed' },
              startsAt: expect.stringMatching(/^\d{4}-.*Z$/),
            },
          ],
          task: { taskId: 'task-1', flow: 'flow', step: 'step', direction: 'alert' },
        },
      },
    ]);
  });

  it('logs an alert as an error where no webhook is configured, and is content', async () => {
    await executor(null).raiseAlert({}, commandContext());
    expect(observer.notices).toMatchObject([{ level: 'error', name: 'rollback_failed_alert' }]);
  });

  it('does not call an event undelivered that nobody was to be told of', async () => {
    await executor(null).reportEvent({}, commandContext());
    expect(await page()).toMatchObject([{ delivered: null }]);
  });

  it('does not send an event again because the mark of its delivery takes long', async () => {
    const slow = new ManualClock();
    log.markDelivered = () => {
      void slow.advance(2_000);
      return new Promise(() => {});
    };
    const parts = { clock: slow, log, observer, webhook };
    await new EventExecutor(new Announcer(parts)).reportEvent({}, commandContext());
    expect(webhook.taken).toHaveLength(1);
    expect(observer.notices.map(({ name }) => name)).toContain('delivery_not_marked');
  });

  it('gives up an event log that hangs, and tells of the event the next time', async () => {
    const slow = new ManualClock();
    const add = log.add.bind(log);
    log.add = () => {
      void slow.advance(5_000);
      return new Promise(() => {});
    };
    const parts = { clock: slow, log, observer, webhook };
    const attempt = () => new EventExecutor(new Announcer(parts)).reportEvent({}, commandContext());
    const message = 'the event log gave no answer within 5 s';
    await expect(attempt()).rejects.toMatchObject({ name: 'StoreUnavailable', message });
    expect(webhook.taken).toEqual([]);
    log.add = add;
    await attempt();
    expect(webhook.taken).toHaveLength(1);
  });

  it('ends with its attempt, though the event log hangs', async () => {
    const ending = new AbortController();
    log.add = () => {
      ending.abort(new Error('called off'));
      return new Promise(() => {});
    };
    const attempt = executor().reportEvent({}, commandContext({ signal: ending.signal }));
    await expect(attempt).rejects.toThrow('called off');
  });

  it('sends nothing of the parameters, which may hold secrets', async () => {
    const context = commandContext({ parameters: { password: 'hunter2' } });
    await executor().reportEvent({}, context);
    expect(JSON.stringify([webhook.taken, await page()])).not.toContain('hunter2');
  });
});
