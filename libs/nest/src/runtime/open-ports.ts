import type {
  Clock,
  Entropy,
  ExecutorRegistry,
  FlowStore,
  Observer,
  SessionStore,
  StepTransport,
  TaskStore,
} from '#ports';
import type { Settings } from '#settings';

/** The adapters of one process, behind their ports. */
export interface Ports {
  readonly store: TaskStore;
  readonly flowStore: FlowStore;
  readonly registry: ExecutorRegistry;
  readonly sessions: SessionStore;
  readonly transport: StepTransport;
  /** The time that all processes with this store share: leases, deadlines, journals are in it. */
  readonly clock: Clock;
  /** Whether this process alone has the store, so that it knows what its former life left. */
  readonly exclusive: boolean;
}

/** What adapters are made with. */
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
  const { clock, exclusive, store } = await openStore(settings, parts);
  try {
    const transport = await openTransport(settings, { ...parts, clock });
    const stores = { store, flowStore: store, registry: store, sessions: store };
    return { ...stores, transport, clock, exclusive };
  } catch (error) {
    await store.close();
    throw error;
  }
}

type Store = TaskStore & FlowStore & ExecutorRegistry & SessionStore;

interface OpenedStore extends Pick<Ports, 'clock' | 'exclusive'> {
  readonly store: Store;
}

/** One process has a file, so the machine's time will do; a server's is the same for many. */
async function openStore(
  { store: place }: Settings,
  { clock, entropy, observer }: PortParts,
): Promise<OpenedStore> {
  if (place.kind === 'sqlite') {
    const { openSqliteStore } = await import('#store-sqlite');
    return { store: await openSqliteStore({ path: place.file, observer }), clock, exclusive: true };
  }
  const { openMongoStore } = await import('#store-mongo');
  const newMark = (): string => entropy.newId();
  const random = (): number => entropy.random();
  const store = await openMongoStore({ url: place.url, clock, observer, newMark, random });
  return { store, clock: store.clock, exclusive: false };
}

async function openTransport(
  { transport }: Settings,
  { processName, ...parts }: PortParts,
): Promise<StepTransport> {
  if (transport.kind === 'memory') {
    const { openMemoryTransport } = await import('#transport-memory');
    return openMemoryTransport(parts);
  }
  const { openRabbitmqTransport } = await import('#transport-rabbitmq');
  return openRabbitmqTransport({ ...parts, url: transport.url, connectionName: processName });
}
