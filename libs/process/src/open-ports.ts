import path from 'node:path';
import { SealedTokens, SignedTexts, TextSeal } from '#access';
import {
  type AuditLog,
  type ChangeStore,
  type ChildStore,
  type Clock,
  type CompletionTokens,
  type DefinitionStore,
  type Entropy,
  type ExecutorRegistry,
  type FinalStore,
  type FlowStore,
  type LockStore,
  type Observer,
  type RecordReader,
  type RecordStore,
  type SessionStore,
  sharedSecret,
  type StartedTasks,
  type StepTransport,
  STORE_ID,
  type StoreBackup,
  type TaskStore,
} from '#ports';
import { isWritten, ownFolder, type Settings } from '#settings';
import { newSecret } from '#machine';

/** The seals that all processes with one store share. */
interface Seals {
  readonly completionTokens: CompletionTokens;
  /** Signs the claims that workers are given. */
  readonly claimTexts: SignedTexts;
  /** Seals the secrets of the channels of notifications. */
  readonly channelSeal: TextSeal;
}

/** Under this name the processes share what completion tokens are made with. */
const COMPLETION_SECRET = 'completion tokens';

/** Under this name they share what channels are sealed with where no key was set. */
const CHANNEL_SECRET = 'notification channels';

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
  readonly audit: AuditLog;
  readonly completionTokens: CompletionTokens;
  /** Signs the claims that workers are given. */
  readonly claimTexts: SignedTexts;
  /** Seals the secrets of the channels of notifications. */
  readonly channelSeal: TextSeal;
  readonly children: ChildStore;
  readonly locks: LockStore;
  readonly finals: FinalStore;
  readonly changes: ChangeStore;
  /** Records of all kinds. */
  readonly records: RecordStore;
  /** Knows what cannot be read of all but tasks. */
  readonly unreadable: Pick<RecordReader, 'list'>;
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
  const { backup, clock, exclusive, store } = await openStore(settings, parts);
  try {
    const { audit, changes, children, definitions, finals, locks, records, unreadable } = store;
    const sealed = await openSeals(settings.secretKey, records);
    const transport = await openTransport(settings, { ...parts, clock, records });
    const stores = { store, started: store, flowStore: store, registry: store, sessions: store };
    const kept = { audit, changes, children, definitions, finals, locks, records, unreadable };
    return { ...stores, ...kept, ...sealed, backup, transport, clock, exclusive };
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
    'audit' | 'changes' | 'children' | 'definitions' | 'finals' | 'locks' | 'records' | 'unreadable'
  >;

interface OpenedStore extends Pick<Ports, 'backup' | 'clock' | 'exclusive'> {
  readonly store: Store;
}

/**
 * Opens the store alone. One process has a file, so the machine's time will do; a server's is the
 * same for many. Throws what the store refuses with, and a `SettingsError` where a folder cannot be
 * used.
 */
export async function openStore(
  settings: Settings,
  { clock, entropy, observer }: Omit<PortParts, 'processName'>,
): Promise<OpenedStore> {
  const { data, store: place } = settings;
  if (place.kind === 'sqlite') {
    const isOwn = isWritten(settings, 'BACKSTEP_STORE');
    if (isOwn) ownFolder('BACKSTEP_STORE', path.dirname(place.file));
    ownFolder('BACKSTEP_DATA', data);
    const { openSqliteStore, SqliteBackup } = await import('#store-sqlite');
    const opened = await openSqliteStore({ path: place.file, observer });
    const places = { data, file: place.file };
    const backup = new SqliteBackup({ clock, places, store: opened });
    await backup.dropLeftover().catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
    return { store: opened, backup, clock, exclusive: true };
  }
  const { openMongoStore } = await import('#store-mongo');
  const newMark = countedIds(entropy.newId().slice(-12));
  const random = (): number => entropy.random();
  const store = await openMongoStore({ url: place.url, clock, observer, newMark, random });
  return { store, backup: null, clock: store.clock, exclusive: false };
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
  { processName, records, ...parts }: PortParts & Pick<Ports, 'records'>,
): Promise<StepTransport> {
  if (transport.kind === 'memory') {
    const { openMemoryTransport } = await import('#transport-memory');
    return openMemoryTransport(parts);
  }
  const { openRabbitmqTransport } = await import('#transport-rabbitmq');
  const set = await sharedSecret(records, STORE_ID, parts.entropy.newId());
  const broker = { set, connectionName: processName, rebuildQueues, urls: transport.urls };
  return openRabbitmqTransport({ ...parts, ...broker });
}

/**
 * Opens what seals completion tokens and channels. Keys that were set write, so that a copy of the
 * store is not enough to read them; a channel that was sealed before they were can still be read.
 */
export async function openSeals(
  keys: readonly string[] | null,
  records: RecordStore,
): Promise<Seals> {
  const shared = await sharedSecret(records, COMPLETION_SECRET, newSecret().secret);
  const ofStore = await sharedSecret(records, CHANNEL_SECRET, newSecret().secret);
  const channelKeys = [...(keys ?? []), Buffer.from(ofStore, 'base64url').toString('hex')];
  return {
    completionTokens: new SealedTokens({ keys, shared }),
    claimTexts: new SignedTexts({ keys, shared }),
    channelSeal: new TextSeal(channelKeys, 'notification channels'),
  };
}
