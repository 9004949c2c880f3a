/** How much is measured, and for how long. Times are milliseconds. */
export interface Sizes {
  readonly rounds: number;
  /** Length of one round of one rival at full speed. */
  readonly roundMs: number;
  /** Length of the measurement of one kind of request. */
  readonly httpMs: number;
  readonly warmUpMs: number;
  /** Tasks one after another, for hand-overs without load. */
  readonly aloneTasks: number;
  /** How long tasks come at a fixed pace. */
  readonly pacedMs: number;
  readonly pacedPerSecond: number;
  readonly inFlight: number;
  /** Steps of one round of tasks of each shape, whatever a task of that shape has. */
  readonly shapeSteps: number;
  /** Rounds of one round of loops, short or long: each asks for the value of an expression. */
  readonly loopRounds: number;
  /** Child tasks of one `foreach`. */
  readonly children: number;
  /** Connections of the HTTP load. */
  readonly connections: number;
  /** Workers over HTTP, and the slots of each. */
  readonly workers: number;
  readonly workerSlots: number;
  /** Actions that are ready when polls of many items take them. */
  readonly heldActions: number;
  /** Polls that wait and get nothing, and for how long they are watched. */
  readonly parkedPolls: number;
  readonly parkedMs: number;
  /** Tasks that are read and listed over HTTP. */
  readonly knownTasks: number;
  /** Creates of one round in a distributed set, which takes tasks faster than it runs them. */
  readonly createsOnServer: number;
  /** Finished tasks that a store is filled with: embedded, and on a server. */
  readonly finishedEmbedded: number;
  readonly finishedOnServer: number;
  /** Tasks that wait in an embedded store while others run. */
  readonly waitingEmbedded: number;
  /** Finished tasks, some of which are removed while others run. */
  readonly removedEmbedded: number;
  /** Longest time for filling a server. */
  readonly fillMs: number;
  /** Whether goals are judged. */
  readonly judged: boolean;
}

/** The real measuring. */
export const FULL: Sizes = {
  rounds: 3,
  roundMs: 3_000,
  httpMs: 2_000,
  // Until the machine code of all that is used often is made, also in the larger programs.
  warmUpMs: 5_000,
  aloneTasks: 300,
  pacedMs: 4_000,
  pacedPerSecond: 20,
  inFlight: 128,
  shapeSteps: 192_000,
  loopRounds: 4_000,
  children: 10_000,
  connections: 64,
  workers: 16,
  workerSlots: 8,
  heldActions: 3_000,
  parkedPolls: 1_000,
  // One round of all that is done now and then for workers that are there.
  parkedMs: 10_000,
  knownTasks: 200,
  createsOnServer: 1_000,
  finishedEmbedded: 1_000_000,
  // The server that stands in for MongoDB sorts what it lists: many more, and it answers too late.
  finishedOnServer: 100_000,
  waitingEmbedded: 100_000,
  // More than are removed in all rounds, so that something is removed in each.
  removedEmbedded: 1_000_000,
  fillMs: 60_000,
  judged: true,
};

/** One build beside another one, in turns that are short and many. */
export const TURNS: Sizes = {
  ...FULL,
  rounds: 20,
  roundMs: 1_000,
  httpMs: 500,
  aloneTasks: 60,
  pacedMs: 1_000,
  createsOnServer: 300,
};

/** Shows that everything works; the numbers mean nothing. */
export const QUICK: Sizes = {
  rounds: 1,
  roundMs: 500,
  httpMs: 200,
  warmUpMs: 50,
  aloneTasks: 5,
  pacedMs: 200,
  pacedPerSecond: 20,
  inFlight: 16,
  shapeSteps: 2_000,
  loopRounds: 2_000,
  children: 200,
  connections: 4,
  workers: 2,
  workerSlots: 2,
  heldActions: 200,
  parkedPolls: 20,
  parkedMs: 200,
  knownTasks: 20,
  createsOnServer: 50,
  finishedEmbedded: 2_000,
  finishedOnServer: 500,
  waitingEmbedded: 500,
  removedEmbedded: 500,
  fillMs: 10_000,
  judged: false,
};

/** The parameters of every task: about 1 KB. */
export const PARAMETERS = {
  customer: 'a customer of ours',
  size: { cpu: 4, memory: 16, storage: 200 },
  note: 'x'.repeat(940),
} as const;

/** Steps of every task. */
export const STEPS = 4;
