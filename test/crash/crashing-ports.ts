import type { EnginePorts } from '#process';
import { CrashingCatalogue } from './crashing-catalogue.js';
import { CrashingStore } from './crashing-store.js';
import { CrashingTransport } from './crashing-transport.js';
import type { CrashSwitch } from './crash-switch.js';
import { InHand } from './in-hand.js';

/** The ports of a process with a switch at every border. */
export function crashingPorts(crash: CrashSwitch): (ports: EnginePorts) => EnginePorts {
  const inHand = new InHand();
  return ({ catalogue, store, transport, ...rest }) => ({
    ...rest,
    catalogue: new CrashingCatalogue(catalogue, crash),
    store: new CrashingStore(store, crash, inHand),
    transport: new CrashingTransport(transport, crash, inHand),
  });
}
