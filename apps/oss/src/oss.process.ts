import { fileURLToPath } from 'node:url';
import { FlowChecker, FlowLibrary, knownCommandsOf } from '#flow-files';
import type { ProcessContext, ProcessParts, ProcessPlan } from '#process';
import type { CommandCatalogue } from '#ports';
import {
  COMMAND,
  DELIVERY,
  DRILL,
  FLOW_SOURCE,
  KEY,
  NOTIFICATION,
  NOTIFICATION_POSITION,
} from '#ports';
import { ADMISSION, MODULE_LIMIT, OPERATION, recordsOf, SCHEDULE, STATISTICS } from '#ports';
import { WAITING_ACTION } from '#ports';
import { auditRounds } from './audit/audit-rounds.js';
import { ConsoleFiles } from './console/console-files.js';
import { Guide } from './docs/guide.js';
import { AnnouncedCommands } from './executors/announced-commands.js';
import { addAwaitedMetrics, addExecutorMetrics } from './executors/executor-metrics.js';
import { UnheardModules } from './executors/unheard-modules.js';
import { WantedModules } from './executors/wanted-modules.js';
import type { OssOptions } from './options.js';
import { outputParts } from './output/output-lines.js';
import { OssModule } from './oss.module.js';
import { notificationRounds } from './notifications/notification-rounds.js';
import { CALLBACK, SIGN_IN } from './session/sign-in.controller.js';
import { recordReview } from './records/record-review.js';
import { scheduleRounds } from './schedules/schedule-rounds.js';
import { makeRemoval, makeRetention, statisticsRetention } from './retention/make-retention.js';
import { FlowRooms } from './tasks/flow-rooms.js';
import { addWaitingMetrics } from './tasks/waiting-metrics.js';

/** Where the build puts the console. */
const CONSOLE = fileURLToPath(new URL('../../console/', import.meta.url));

/** Where the build puts the pages of the documentation. */
const GUIDE = fileURLToPath(new URL('../../../docs/', import.meta.url));

/** The gateway as a process of its own: requests, flows, governance. */
export const ossProcess: ProcessPlan = {
  name: 'oss',
  port: 7070,
  duties: { executor: false, governance: true },
  needsOthers: true,
  parts: (context) => ossParts(context),
};

/**
 * The parts of a process that is the gateway. `commands`: all there are, where the process knows
 * them, so that validation finds a flow that uses an unknown one.
 */
export function ossParts(context: ProcessContext, commands?: CommandCatalogue): ProcessParts {
  const { clock, definitions, engine, flowStore, locks } = context;
  const { entropy, observer, store } = context;
  const checker = new FlowChecker({ clock });
  const { heads, loops } = auditRounds(context);
  const list = (): ReturnType<typeof engine.directory.listAll> => engine.directory.listAll();
  const announced = announcedIn(context, commands);
  const flows = flowLibrary(context, () => announced.now());
  const options: OssOptions = {
    engine,
    store,
    backup: context.backup,
    children: context.children,
    removal: makeRemoval(context),
    rooms: new FlowRooms(context.started),
    flowStore,
    definitions,
    counted: context.counted,
    ...recordsIn(context),
    ...outputParts(context.records, clock),
    flows,
    checker,
    clock,
    entropy,
    observer,
    evaluator: context.evaluator,
    executors: { list, seen: () => engine.seenExecutors() },
    faultSwitches: context.faultSwitches,
    sessions: context.sessions,
    transport: context.transport,
    changes: context.changes,
    locks,
    desk: engine.desk,
    claimTexts: context.claimTexts,
    channelSeal: context.channelSeal,
    heads,
    ...accessIn(context),
    ...boundsIn(context),
    announced,
    ...builtPages(),
  };
  addMetrics(context, flows);
  const sources = [...roundsOf(context, options), ...loops];
  const signIn = context.signIn && SIGN_IN;
  const unheard = new UnheardModules({ ...context, list });
  const companions = [flows, checker, unheard];
  const notes = () => [...flows.notes(), ...unheard.notes()];
  return { modules: [OssModule.register(options)], companions, sources, notes, signIn };
}

/** The known commands. Where this process has all executors, others can only be workers. */
function announcedIn(
  { clock, engine, registry }: ProcessContext,
  commands: CommandCatalogue | undefined,
): AnnouncedCommands {
  if (commands === undefined) {
    return new AnnouncedCommands({ clock, list: () => engine.directory.listAll() });
  }
  const own = knownCommandsOf(commands);
  return new AnnouncedCommands({ clock, own, list: () => registry.listKnown(0) });
}

/** The flows of files and of requests, compared with what is known of commands. */
function flowLibrary(
  { clock, definitions, flowStore, observer, records, settings }: ProcessContext,
  commands: () => ReturnType<AnnouncedCommands['now']>,
): FlowLibrary {
  const path = settings.flows;
  const commandDefaults = recordsOf(records, COMMAND);
  const sources = recordsOf(records, FLOW_SOURCE);
  const stored = { store: flowStore, definitions, commandDefaults, sources };
  return new FlowLibrary({ path, ...stored, clock, observer, commands });
}

/** Metrics of executors, of queues, of flows, and of tasks that wait for a person. */
function addMetrics(
  { clock, engine, metrics, queues, store }: ProcessContext,
  flows: FlowLibrary,
): void {
  const wanted = new WantedModules(() => flows.list());
  queues.watch(() => wanted.list());
  metrics.dropFlows((name) => flows.isRetired(name));
  const seen = async (): ReturnType<typeof engine.seenExecutors> => {
    const all = await engine.seenExecutors();
    // People are told of a silent worker for long, and it serves nothing.
    return all.filter(({ silentSince, worker }) => worker !== true || silentSince === null);
  };
  addExecutorMetrics(metrics.registry, { clock, seen, wanted });
  addAwaitedMetrics(metrics.registry, () => engine.governance.awaitedCommands());
  addWaitingMetrics(metrics.registry, { clock, store });
}

/** The records that requests and rounds read and write. */
function recordsIn({ records }: Pick<ProcessContext, 'records'>) {
  return {
    admissions: recordsOf(records, ADMISSION),
    commandDefaults: recordsOf(records, COMMAND),
    deliveries: recordsOf(records, DELIVERY),
    drills: recordsOf(records, DRILL),
    keys: recordsOf(records, KEY),
    moduleLimits: recordsOf(records, MODULE_LIMIT),
    notifications: recordsOf(records, NOTIFICATION),
    operations: recordsOf(records, OPERATION),
    positions: recordsOf(records, NOTIFICATION_POSITION),
    schedules: recordsOf(records, SCHEDULE),
    sources: recordsOf(records, FLOW_SOURCE),
    statistics: recordsOf(records, STATISTICS),
    waitingActions: recordsOf(records, WAITING_ACTION),
  };
}

/** The parts that know whose requests are, and what must stay secret. */
function accessIn({ audit, callers, completionTokens, secrets, ...context }: ProcessContext) {
  const { refusedSignIns, settings, signIn: at, trail } = context;
  const { oidcCallback, publicUrl } = settings;
  const callback = oidcCallback ?? (publicUrl === null ? null : `${publicUrl}${CALLBACK}`);
  const signIn = at === null ? null : { at, callback };
  const auth = settings.auth ?? 'off';
  const seals = { secrets, completionTokens };
  return { auth, audit, trail, refusedSignIns, keyRing: callers, signIn, ...seals };
}

/** The loops of the gateway: schedules, notifications, reviews, and the removal of old tasks. */
function roundsOf(context: ProcessContext, options: OssOptions) {
  const retention = makeRetention(context, options.removal);
  const rounds = [scheduleRounds(context, options), notificationRounds(context, options)];
  const more = retention === null ? [] : [retention];
  return [...rounds, recordReview(context), statisticsRetention(context), ...more];
}

/** The settings of times, of limits, of approvals, and of hosts that may be reached. */
function boundsIn({ settings }: Pick<ProcessContext, 'settings'>) {
  const { approvals, httpAllow, maxLiveTasks, maxParameters } = settings;
  const { openPerClient, tasksPerKey } = settings;
  return {
    leaseMs: settings.lease,
    governanceIntervalMs: settings.governanceInterval,
    redispatchAfterMs: settings.redispatchAfter,
    maxParameters,
    maxLiveTasks,
    approvals: approvals ?? [],
    openPerClient,
    tasksPerKey,
    httpAllow: httpAllow ?? [],
    insecure: settings.insecure,
    publicUrl: settings.publicUrl,
  };
}

/** The console, if it was built, and the documentation. */
function builtPages(): Pick<OssOptions, 'console' | 'guide'> {
  const console = ConsoleFiles.read(CONSOLE);
  return { ...(console !== null && { console }), guide: Guide.in(GUIDE) };
}
