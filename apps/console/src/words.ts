import { ADMINISTRATION } from './words/administration.js';
import { FINDING } from './words/finding.js';
import { GRAPH_MODEL } from './words/graph-model.js';
import { LISTS } from './words/lists.js';
import { OVERVIEW } from './words/overview.js';
import { DRILL } from './words/drill.js';
import { PREVIEW } from './words/preview.js';
import { TASK } from './words/task.js';
import { TIME } from './words/time.js';

/**
 * The words that the console says, apart from those of tasks and flows themselves. Words that only
 * a part needs which is loaded later are in files of `words/` that this one does not import.
 */
export const WORDS = {
  product: 'Backstep',
  skip: 'Skip to the content',
  pages: {
    overview: 'Overview',
    tasks: 'Tasks',
    flows: 'Flows',
    inbox: 'Inbox',
    executors: 'Executors',
    schedules: 'Schedules',
    notifications: 'Notifications',
    locks: 'Locks',
    operations: 'Operations',
    audit: 'Audit',
    login: 'Sign in',
  },
  more: 'More',
  navigation: 'Pages',
  docs: 'Documentation',
  api: 'HTTP interface',
  theme: { system: 'Colours: as the system', light: 'Colours: light', dark: 'Colours: dark' },
  keys: 'Keyboard shortcuts',
  away: 'Backstep does not answer. This page goes on by itself as soon as it does.',
  readiness: {
    checks: {
      store: 'The store does not answer',
      broker: 'The broker cannot be reached',
      issuer: 'The identity provider does not answer',
      process: 'This process of Backstep is stopping',
    },
    other: (name: string) => `${name} is not ready`,
    since: 'since',
    goesOn: 'Backstep runs, and need not be started again. This page goes on by itself.',
    busy: 'Backstep runs, and cannot answer this now. This page goes on by itself.',
  },
  loading: 'Loading…',
  none: 'The list is empty.',
  never: 'not yet',
  rulersOnly: 'This page needs the role admin, and a key without limits.',
  close: 'Close',
  cancel: 'Cancel',
  tasks: {
    childOf: (id: string) => `child of ${id}`,
    search: 'Search tasks',
    hint: 'flow:create-* status:failed label.team:payments age:>1h "no host", or an id',
    status: 'Status',
    anyStatus: 'Any status',
    flow: 'Flow',
    anyFlow: 'Any flow',
    label: 'Label',
    labelHint: 'team=payments',
    clear: 'Clear filters',
    none: 'No task fits.',
    noneYet: 'There are no tasks yet. Start one on the page of a flow, or by:',
    noneYetCommand: 'npx backstep task start lab-succeed',
    more: 'Show more',
    live: 'Live',
  },
  task: {
    graph: 'Flow graph',
    timeline: 'Timeline',
    history: 'Download the history',
    parameters: 'Parameters',
    input: 'Sent with the request',
    now: 'As they stand now',
    output: 'Output',
    none: 'none',
    copy: 'Copy',
    copyCli: 'Copy as command line',
    copyCurl: 'Copy as cURL',
    copyLink: 'Copy link',
    print: 'Print a report',
    copied: 'Copied',
    notCopied: 'This browser does not allow copying',
    notFound: 'There is no such task.',
    created: 'Created',
    started: 'Started',
    ended: 'Ended',
    took: 'Took',
    takes: 'Running for',
    labels: 'Labels',
    origin: 'Request',
    version: 'version',
    holdUntil: 'Rolls back by itself at',
    pick: 'Pick a step in the graph to see its details.',
    backNow: 'On the way back',
    forwardNow: 'On the way forward',
    wentBack: 'It has gone back',
    wentForward: 'It has gone forward',
    restartOf: 'Restart of',
    parent: 'Child of',
    alert: 'alert',
    failureFlow: 'failure flow',
    why: 'How it goes on',
    legend: 'Below each step stands its undo.',
  },
  step: {
    details: 'Step',
    forward: 'Forward',
    back: 'Undo',
    state: 'State',
    attempts: 'Attempts',
    command: 'Command',
    timeout: 'Time-out',
    retry: 'Retry',
    error: 'Error',
    output: 'Output',
    parameters: 'Parameters',
    needs: 'Needs',
    noUndo: 'This step has no undo.',
    run: 'Run',
    kind: 'Kind',
    children: 'Child tasks',
    tryFailed: (name: string, run: string, message: string) =>
      `try ${name} failed at ${run}: ${message}`,
  },
  dialog: {
    reason: 'Reason',
    reasonMissing: 'Give a reason; the journal keeps it.',
    preview: 'This will happen',
    asking: 'Asking what would happen…',
    step: 'Step',
    toStart: 'everything',
    children: {
      label: 'Child tasks',
      failed: 'start the failed ones again, keep the others',
      all: 'undo the succeeded ones, start all again',
    },
    parameters: 'Changed parameters (JSON object)',
    output: 'Output of the step (JSON object)',
    notJson: 'This is not a JSON object.',
    longNumber: (number: string) =>
      `${number} has more digits than a number keeps. Write it in quotes, as a text.`,
    moved: 'The task has moved on since. Look at the preview again.',
  },
  form: {
    faults: (count: number) =>
      count === 1 ? 'One field needs a correction.' : `${count} fields need a correction.`,
  },
  flows: {
    none: 'There are no flows. Put flow files into the folder of BACKSTEP_FLOWS.',
    columns: ['Flow', 'Version', 'Drill', 'Steps', 'Description'],
    drill: DRILL,
    more: (count: number) => `and ${count} more`,
    gone: 'retired, or its file is gone; it cannot be started',
    goneFlows: (count: number) => `Retired, or without their file (${count})`,
    broken: 'Broken flow files',
    folder: 'the folder of flows',
    versions: 'Versions',
    compare: 'Compare',
    compareWith: 'Compare with version',
    compared: 'Changes of version',
    since: 'since version',
    same: 'Nothing differs.',
    itself: 'the flow itself',
    changes: { added: 'Added', removed: 'Removed', changed: 'Changed' },
    members: ['Member', 'Before', 'After'],
    absent: 'absent',
    start: 'Start',
    startOne: 'Start a task',
    others: 'More parameters (JSON object)',
    othersBroken: 'The further parameters are not a JSON object.',
    notKind: (name: string, kind: string) => `${name} is not ${kind}.`,
    kinds: {
      text: 'a text',
      secret: 'a text',
      number: 'a number',
      'yes-no': 'true or false',
      choice: 'one of the choices',
      json: 'JSON',
    },
    or: 'or',
    labels: 'Labels, such as team=payments env=prod',
    notFound: 'There is no such flow.',
    tasks: 'Tasks of this flow',
    maxLive: 'unfinished tasks at most',
    needed: 'required',
    unset: 'as the flow says',
    edit: 'Edit',
    newFlow: 'New flow',
    drafts: 'Drafts in this browser',
    draftUnnamed: 'New flow',
  },
  lab: {
    title: 'Inject a fault:',
    choices: {
      off: 'Off',
      fail_once: 'Fail once',
      fail_always: 'Fail always',
      slow: 'Go slowly',
      crash: 'Crash',
    },
    badges: {
      fail_once: 'Fails once',
      fail_always: 'Fails always',
      slow: 'Slow',
      crash: 'Crashes',
    },
    about: {
      off: 'The command runs as it should.',
      fail_once: 'The next attempt fails before its command is called; then this is off.',
      fail_always: 'Every attempt fails before its command is called, until this is off.',
      slow: 'Every attempt waits for five seconds before its command.',
      crash:
        'The next attempt is lost, with all others in this executor process, as if it had died; ' +
        'then this is off. Lost attempts are started again. The gateway goes on.',
    },
  },
  locks: {
    about: 'The first tasks in line hold the lock, forward and on the way back, until they end.',
    none: 'Nobody holds a lock.',
    all: 'Show all locks',
    step: 'step',
    columns: ['Lock', 'Held', 'Holders', 'Waiting, the next one first'],
    of: 'of',
    holders: 'Holders of',
    waiting: 'Waiting for',
  },
  inbox: {
    about: 'Everything that waits for a person.',
    none: 'Nothing waits for a person.',
    failed: 'Rollback failed',
    held: 'On hold',
    asked: 'Waits for an approval',
    heldColumns: ['Task', 'Step', 'Waits since', 'Message', 'Actions'],
    askedColumns: ['Question', 'Task', 'Who may answer', 'Since', 'Answer'],
    anybody: 'anybody who may act on the task',
    consent: 'Waits for a second person',
    consentAbout:
      'These need two people. The one who asked may withdraw the action, but not approve it.',
    columns: ['Action', 'Tasks and reason', 'Rule', 'By', 'Until', 'Answer'],
    approve: 'Approve',
    reject: 'Reject',
    approveMeans:
      'It begins at once, in the name of the person who asked; your name is kept with it.',
    rejectMeans: 'It never begins. It can be asked for again.',
    comment: 'Reason',
    refused: 'It was approved, and could not be done:',
  },
  overview: {
    person: 'Waits for a person',
    running: 'In progress',
    newest: 'Newest tasks',
    health: 'Health',
    ready: 'Everything is ready',
    unserved: (modules: number) =>
      modules === 1 ? 'Nobody serves the module' : 'Nobody serves the modules',
    noCommand: 'No executor has',
  },
  login: {
    key: 'API key',
    token: 'Token',
    keyOrToken: 'API key or token',
    sign: 'Sign in',
    atProvider: 'Sign in with your identity provider',
    aboutProvider: 'Your identity provider tells this server who you are, and sends you back here.',
    out: 'Sign out',
    off: 'This server needs no sign-in.',
    outside:
      'There is nothing to enter here: your certificate, or the proxy before this server, says who ' +
      'you are.',
    about: 'The key stays in this browser until that is closed, and goes to this server alone.',
    as: 'You are signed in as {name}, with the role {role}.',
    aboutToken:
      'Get an access token of your identity provider for this server, and paste it here. This ' +
      'browser keeps it and sends it to this server alone. When it has expired, paste a new one.',
    aboutMachine:
      'This server takes the token in the file “token” of its data folder. Paste it here, or have the ' +
      'command “backstep console” print a link that signs this browser in.',
    wrong: 'The server does not accept this key.',
    usedLink:
      'This link was used before, or is older than ten minutes. Another one: “backstep console”.',
  },
  ...ADMINISTRATION,
  ...FINDING,
  ...LISTS,
  graph: GRAPH_MODEL,
  preview: PREVIEW,
  time: TIME,
  ...OVERVIEW,
  ...TASK,
  lost: 'There is no such page.',
  help: {
    title: 'Keyboard',
    on: 'Single keys work outside of text boxes',
    list: [
      ['?', 'shows this list'],
      ['Ctrl K, ⌘ K', 'finds pages, flows, tasks and actions by their words'],
      ['/', 'goes to the search box'],
      ['g o', 'overview'],
      ['g t', 'tasks'],
      ['g f', 'flows'],
      ['g i', 'inbox'],
      ['j, k', 'next row, previous row'],
      ['Tab, Enter', 'everything else'],
      ['Esc', 'closes a dialog'],
    ],
  },
} as const;

/** States of tasks and steps, as people read them. */
const STATES: Readonly<Record<string, string>> = {
  not_started: 'Not started',
  rolling_back: 'Rolling back',
  rolled_back: 'Rolled back',
  rollback_failed: 'Rollback failed',
  on_hold: 'On hold',
  timed_out: 'Timed out',
};

/** A state as people read it: `rolled_back` is *Rolled back*. */
export function stateWord(state: string): string {
  return STATES[state] ?? `${state.charAt(0).toUpperCase()}${state.slice(1).replaceAll('_', ' ')}`;
}

/** An event's kind as people read it. */
export function eventWord(kind: string): string {
  return kind.replaceAll('_', ' ');
}
