import type { TextSeal } from '#access';
import type {
  ChangeStore,
  DeliveryStore,
  DrillStore,
  NotificationStore,
  ChildStore,
  Clock,
  CompletionTokens,
  Entropy,
  ExecutorRegistry,
  AuditLog,
  DefinitionStore,
  FaultStore,
  FinalStore,
  FlowStore,
  KeyStore,
  LockStore,
  Observer,
  OperationStore,
  RecordReader,
  ScheduleStore,
  SessionStore,
  StartedTasks,
  StatisticsStore,
  StepTransport,
  StoreBackup,
  TaskStore,
} from '#ports';
import { STORE_ID } from '#ports';
import type { Settings } from '#settings';
import { openSeals } from './open-seals.js';

/** The adapters of one process, behind their ports. */
export interface Ports {
  readonly store: TaskStore;
  /** Copies what this process keeps; null: the store is a server, with tools of its own. */
  readonly backup: StoreBackup | null;
  readonly started: StartedTasks;
  readonly flowStore: FlowStore;
  readonly registry: ExecutorRegistry;
  readonly sessions: SessionStore;
  readonly definitions: DefinitionStore;
  readonly drills: DrillStore;
  readonly statistics: StatisticsStore;
  readonly keys: KeyStore;
  readonly audit: AuditLog;
  readonly completionTokens: CompletionTokens;
  /** Seals the secrets of the channels of notifications. */
  readonly channelSeal: TextSeal;
  readonly children: ChildStore;
  /** Switches that all processes with this store share; null: one process alone has it. */
  readonly faults: FaultStore | null;
  readonly locks: LockStore;
  readonly operations: OperationStore;
  readonly schedules: ScheduleStore;
  readonly finals: FinalStore;
  readonly changes: ChangeStore;
  readonly notifications: NotificationStore;
  readonly deliveries: DeliveryStore;
  /** Knows what cannot be read of all but tasks. */
  readonly records: Pick<RecordReader, 'list'>;
  readonly transport: StepTransport;
  /** The time that all processes with this store share: leases, deadlines, journals are in it. */
  readonly clock: Clock;
  /** Whether this process alone has the store, so that it knows what its former life left. */
  readonly exclusive: boolean;
}

/** The parts that adapters are made with. */
export interface PortParts {
  /** The machine's. */
  readonly clock: Clock;
  readonly entropy: Entropy;
  readonly observer: Observer;
  /** Shown by the broker as the connections' owner. */
  readonly processName: string;
}

/**
 * Binds the adapters that the settings name. This is the only place that knows the kinds of stores
 * and transports; their drivers are loaded when they are used. Throws what an adapter refuses with.
 */
export async function openPorts(settings: Settings, parts: PortParts): Promise<Ports> {
  const { backup, clock, exclusive, faults, store } = await openStore(settings, parts);
  try {
    const { audit, changes, children, definitions, finals, keys, locks } = store;
    const { deliveries, drills, notifications, operations, records, schedules } = store;
    const { statistics } = store;
    const sealed = await openSeals(settings.secretKey, keys);
    const transport = await openTransport(settings, { ...parts, clock, keys });
    const stores = { store, started: store, flowStore: store, registry: store, sessions: store };
    const kept = {
      audit,
      changes,
      children,
      definitions,
      deliveries,
      drills,
      finals,
      keys,
      locks,
      notifications,
      operations,
      records,
      schedules,
      statistics,
    };
    return { ...stores, ...kept, ...sealed, backup, faults, transport, clock, exclusive };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Everything that is kept in one place. */
type Store = TaskStore &
  StartedTasks &
  FlowStore &
  ExecutorRegistry &
  SessionStore &
  Pick<
    Ports,
    | 'audit'
    | 'changes'
    | 'children'
    | 'definitions'
    | 'deliveries'
    | 'drills'
    | 'finals'
    | 'keys'
    | 'locks'
    | 'notifications'
    | 'operations'
    | 'records'
    | 'schedules'
    | 'statistics'
  >;

interface OpenedStore extends Pick<Ports, 'backup' | 'clock' | 'exclusive' | 'faults'> {
  readonly store: Store;
}

/**
 * Opens the store alone. One process has a file, so the machine's time will do; a server's is the
 * same for many. Throws what the store refuses with.
 */
export async function openStore(
  { data, store: place }: Pick<Settings, 'data' | 'store'>,
  { clock, entropy, observer }: Omit<PortParts, 'processName'>,
): Promise<OpenedStore> {
  if (place.kind === 'sqlite') {
    const { openSqliteStore, SqliteBackup } = await import('#store-sqlite');
    const opened = await openSqliteStore({ path: place.file, observer });
    const places = { data, file: place.file };
    const backup = new SqliteBackup({ clock, places, store: opened });
    await backup.dropLeftover();
    return { store: opened, backup, clock, exclusive: true, faults: null };
  }
  const { openMongoStore } = await import('#store-mongo');
  const newMark = countedIds(entropy.newId().slice(-12));
  const random = (): number => entropy.random();
  const store = await openMongoStore({ url: place.url, clock, observer, newMark, random });
  return { store, backup: null, clock: store.clock, exclusive: false, faults: store.faults };
}

/** Ids of this process: many are made: counting costs less than chance. */
function countedIds(origin: string): () => string {
  let count = 0;
  return () => {
    count += 1;
    return `${origin}-${count.toString(36)}`;
  };
}

async function openTransport(
  { rebuildQueues, transport }: Settings,
  { keys, processName, ...parts }: PortParts & Pick<Ports, 'keys'>,
): Promise<StepTransport> {
  if (transport.kind === 'memory') {
    const { openMemoryTransport } = await import('#transport-memory');
    return openMemoryTransport(parts);
  }
  const { openRabbitmqTransport } = await import('#transport-rabbitmq');
  const set = await keys.sharedSecret(STORE_ID, parts.entropy.newId());
  const broker = { set, connectionName: processName, rebuildQueues, urls: transport.urls };
  return openRabbitmqTransport({ ...parts, ...broker });
}
