import type {
  Clock,
  Entropy,
  ExecutorRegistry,
  FlowStore,
  Observer,
  StepTransport,
  TaskStore,
} from '#ports';
import type { Settings } from '#settings';

/** The adapters of one process, behind their ports. */
export interface Ports {
  readonly store: TaskStore;
  readonly flowStore: FlowStore;
  readonly registry: ExecutorRegistry;
  readonly transport: StepTransport;
  /** Whether this process alone has the store, so that it knows what its former life left. */
  readonly exclusive: boolean;
}

/** What adapters are made with. */
export interface PortParts {
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
  const { exclusive, store } = await openStore(settings, parts);
  try {
    const transport = await openTransport(settings, parts);
    return { store, flowStore: store, registry: store, transport, exclusive };
  } catch (error) {
    await store.close();
    throw error;
  }
}

type Store = TaskStore & FlowStore & ExecutorRegistry;

async function openStore(
  { store }: Settings,
  { clock, entropy }: PortParts,
): Promise<{ store: Store; exclusive: boolean }> {
  if (store.kind === 'sqlite') {
    const { openSqliteStore } = await import('#store-sqlite');
    return { store: await openSqliteStore({ path: store.file }), exclusive: true };
  }
  const { openMongoStore } = await import('#store-mongo');
  const newMark = (): string => entropy.newId();
  const random = (): number => entropy.random();
  const opened = await openMongoStore({ url: store.url, clock, newMark, random });
  return { store: opened, exclusive: false };
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
