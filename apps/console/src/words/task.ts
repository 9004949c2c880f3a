/** Words of the page of one task. */
export const TASK = {
  provenance: {
    columns: ['Parameter', 'Value', 'Written by', 'Since'],
    writers: { constant: 'a constant of the flow', request: 'the request', step: 'step' },
    all: (count: number) => `Show all ${count} parameters`,
    earlier: (count: number) => (count === 1 ? 'One earlier value' : `${count} earlier values`),
  },
  attempts: {
    titles: { normal: 'Attempts', rollback: 'Attempts of the undo' },
    columns: ['No.', 'Outcome', 'Start', 'End', 'Executor'],
    earlier: (count: number) =>
      count === 1 ? 'Show one earlier attempt' : `Show ${count} earlier attempts`,
    open: 'not ended',
    lost: 'no longer in the journal',
    stack: 'Stack trace',
  },
  said: {
    title: (step: string | undefined) => (step === undefined ? 'Output' : `Output: ${step}`),
    of: (run: string, attempt: string) => `${run}: ${attempt.toLowerCase()}`,
    attempts: {
      normal: (attempt: number) => `Attempt ${attempt}`,
      rollback: (attempt: number) => `Undo, attempt ${attempt}`,
      alert: (attempt: number) => `Alert, attempt ${attempt}`,
    },
    levels: { debug: 'debug', warn: 'warning', error: 'error' },
    dropped: (count: number) =>
      count === 1 ? 'One line was cut here.' : `${count.toLocaleString()} lines were cut here.`,
    progress: (run: string) => `Progress of ${run}`,
    percent: (percent: number) => `${Math.floor(percent)} %`,
  },
  gantt: {
    title: 'How long each step took',
    begun: 'The first began',
    columns: ['Step', 'Begun after', 'Took', 'As a bar'],
    open: (length: string) => `${length} so far`,
    directions: { normal: '', rollback: 'undo' },
  },
  actions: {
    approve: 'Approve',
    reject: 'Reject',
    retry: 'Retry',
    resume: 'Resume',
    skip: 'Skip',
    complete: 'Complete',
    pause: 'Pause',
    rollback: 'Roll back',
    reset: 'Reset',
    undo: 'Undo',
    restart: 'Restart',
    terminate: 'Terminate',
  },
  journal: {
    attempt: (number: number) => `attempt ${number}`,
    undo: (event: string) => `undo ${event}`,
  },
  childTasks: {
    counts: (started: number, total: number) => `${started} of ${total} started`,
    tally: 'How they stand',
    groups: {
      failed: (count: number) => `${count} failed`,
      person: (count: number) => `${count} waiting for a person`,
      running: (count: number) => `${count} under way`,
      succeeded: (count: number) => `${count} succeeded`,
      undone: (count: number) => `${count} undone`,
      ended: (count: number) => `${count} terminated`,
    },
    columns: ['Item', 'State', 'Took', 'Message'],
    item: (number: string) => `item ${number}`,
    all: 'All child tasks',
    more: (count: number) => `${count} more of these are in the list below.`,
  },
  retries: (count: number) => ['never', 'once'][count] ?? `${count} times`,
  retryRule: {
    each: (delay: string) => `${delay} apart`,
    first: (delay: string) => `after ${delay}`,
    doubled: 'then twice as long each time',
    most: (delay: string) => `at most ${delay}`,
    spread: 'spread',
    only: (codes: string) => `only for ${codes}`,
    never: (codes: string) => `not for ${codes}`,
  },
  report: {
    asOf: 'As of',
    steps: 'Steps',
    stepColumns: ['Step', 'Forward', 'Undo', 'Attempts', 'Started', 'Took', 'Error'],
    noUndo: 'has none',
    notUndone: 'Not undone',
    people: 'Actions of people',
    peopleColumns: ['When', 'Who', 'What', 'Reason'],
    nobody: 'Nobody acted on this task.',
  },
  signal: {
    send: 'Send signal',
    name: 'Name of the signal',
    nameMissing: 'Name the signal.',
    payload: 'Payload (JSON object)',
    taken: 'A step that waits for it goes on, and the payload is its output. It is delivered once.',
    kept: 'No step asks for it now. It is kept for a later step, and delivered once.',
  },
  called: { with: 'Called with', written: 'As written' },
  json: {
    all: (length: number) => `Show all ${length.toLocaleString()} characters`,
    download: 'Download',
  },
} as const;

/** Sentences that say what an action will do. */
export const PREVIEW = {
  stops: 'The task stops going forward.',
  goesBack: 'The task goes back as if it had failed at its end.',
  pivot: (step: string) => `${step} stays: it is a point of no return.`,
  heldWith: (step: string) => `Then the task is on hold; ${step} and what needs it can be retried.`,
  noUndo: (steps: string) => `These have no undo: ${steps}.`,
  nothing: 'Nothing has to be undone.',
  calledOff: (steps: string) => `Running, to be called off: ${steps}.`,
  unserved: (commands: string) => `No executor serves ${commands}.`,
  more: 'There is more than is listed.',
  notAll: (obstacle: string) => `Not all of it: ${obstacle}.`,
  ofTask: (step: string, taskId: string) => `${step} of task ${taskId}`,
  ends: 'The task stops here for good.',
  stay: (steps: string) => `Nothing is undone. These stay: ${steps}.`,
  begins: (step: string) => `step ${step} starts`,
  freshBudget: 'The failed work gets all its retries again.',
  wayBack: 'Then the way back goes on.',
  wayForward: 'Then the task goes forward.',
  undoneByHand: (step: string) => `${step} counts as undone by hand.`,
  notRunBack: 'Nothing is run for it. The way back goes on.',
  done: (step: string) => `${step} counts as done, with the output below.`,
  completes: (step: string) => `${step} succeeds, with the output below, and the task goes on.`,
  notRun: 'Nothing is run for it.',
  pauses: 'Nothing new is started, in either direction.',
  idle: 'Nothing runs now.',
  endFirst: (steps: string) => `These end first: ${steps}.`,
  onceResumed: 'The task is paused: these follow once it is resumed.',
  resumes: 'The task goes on in the direction it had.',
  forwardFrom: (step: string) => `Then the task goes forward again from ${step}.`,
  newRuns: (steps: string) => `${steps}: new runs begin.`,
  childrenStay: (step: string) =>
    `${step}: its failed child tasks run again. The others stay as they are.`,
  restarts: (flow: string) => `A new task of ${flow} begins with the same parameters.`,
  approves: (step: string) => `${step} succeeds, and the task goes on.`,
  rejects: (step: string) => `${step} fails as rejected, and the flow says what follows.`,
  becomes: (status: string) => `The task will be: ${status}.`,
} as const;

/** Words of what the drawings of tasks and flows show, said wherever their steps are named. */
export const GRAPH_MODEL = {
  /** The name of a node for assistive technology; an empty undo: there was none. */
  node: (step: string, state: string, undo: string) =>
    undo === '' ? `${step}, ${state}` : `${step}, ${state}, undo ${undo}`,
  /** A step with child tasks, of which this many have ended. */
  items: (kind: string, counts: Readonly<Record<'ended' | 'failed' | 'total', number>>) => {
    const { ended, failed, total } = counts;
    const failures = failed > 0 ? `, ${failed} failed` : '';
    return `${kind}: ${ended} of ${total}${failures}`;
  },
  undone: (kind: string, undone: number, started: number) =>
    `${kind}: ${undone} of ${started} undone`,
  written: (command: string, undo: string) => `${command}, undo: ${undo}`,
} as const;

/** Words of moments and of how long something takes. */
export const TIME = {
  units: { day: 'd', hour: 'h', minute: 'min', second: 's' },
  underSecond: 'under 1 s',
  underTwo: 'under 2 s',
  milliseconds: (count: number) => `${count} ms`,
  seconds: (count: number) => `${count}s`,
  utc: 'UTC',
  east: (hours: string) => `GMT${hours}`,
  zone: (zone: string) => `Times are ${zone}.`,
  zoned: (text: string, zone: string) => `${text}, ${zone}`,
  days: ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  months: [
    ...['January', 'February', 'March', 'April', 'May', 'June', 'July', 'August'],
    ...['September', 'October', 'November', 'December'],
  ],
  justNow: 'just now',
  ago: (length: string) => `${length} ago`,
  ahead: (length: string) => `in ${length}`,
} as const;
