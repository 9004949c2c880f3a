import type { Command } from 'commander';
import type { Bind } from './call.js';

const PUT_EXAMPLES = `
--on lists succeeded, failed, held, stuck, waiting, deadline_at_risk, executor_gone, backlog,
schedule_missed.
A file is what HTTP takes; secrets of channels belong there, because others see what a command line says.

Examples:
  $ backstep notification put on-call --on failed,stuck --file pagerduty.json
  $ backstep notification put team --on held --q 'label.team:db' --webhook https://example.org/in
  $ backstep notification test on-call`;

/** Commands about notifications. */
export function addNotificationCommands(root: Command, bind: Bind): void {
  const parent = root.command('notification').description('tell people what happens to tasks');
  const put = parent
    .command('put')
    .description('store a notification')
    .argument('<name>', 'its name')
    .option('--file <json>', 'the notification as HTTP takes it; other options win over it')
    .option('--on <kinds>', 'kinds of events, with commas')
    .option('--q <search>', 'of which tasks, as in task list')
    .option('--throttle <duration>', 'at most one message in this time, like 10m')
    .option('--webhook <url>', 'where it goes; other channels are written in a file')
    .option('--if-match <generation>', 'only if it is at this generation; 0: if it is new')
    .addHelpText('after', PUT_EXAMPLES);
  bind(put, async () => (await import('../commands/notifications.js')).notificationPut);
  addReads(parent, bind);
  const remove = parent
    .command('delete')
    .description('remove a notification')
    .argument('<name>', 'its name')
    .option('--if-match <generation>', 'only if it is at this generation');
  bind(remove, async () => (await import('../commands/notifications.js')).notificationDelete);
  const test = parent
    .command('test')
    .description('send a test message now; exit code 1 if it is not delivered')
    .argument('<name>', 'its name');
  bind(test, async () => (await import('../commands/notifications.js')).notificationTest);
  const redeliver = parent
    .command('redeliver')
    .description('send a message again, under the same id')
    .argument('<name>', 'its name')
    .argument('<delivery>', 'id of the message');
  bind(redeliver, async () => (await import('../commands/notifications.js')).notificationRedeliver);
}

function addReads(parent: Command, bind: Bind): void {
  const get = parent
    .command('get')
    .description('one notification, without its secrets')
    .argument('<name>', 'its name');
  bind(get, async () => (await import('../commands/notifications.js')).notificationGet);
  bind(
    parent.command('list').description('notifications, by their names'),
    async () => (await import('../commands/notifications.js')).notificationList,
  );
  const deliveries = parent
    .command('deliveries')
    .description('messages of a notification, newest first')
    .argument('<name>', 'its name')
    .option('--limit <number>', 'how many (default: 50)');
  bind(
    deliveries,
    async () => (await import('../commands/notifications.js')).notificationDeliveries,
  );
}
