import path from 'node:path';
import type { Clock, Entropy } from '#ports';
import type { Credentials } from './credentials.js';
import { FileCredentials } from './server/file-credentials.js';
import { MongoCredentials } from './server/mongo-credentials.js';

/** Where passwords of instances on a server are kept. */
export interface CredentialsPlace {
  readonly dataFolder: string;
  /** Keys that seal them in a MongoDB, as in `TextSeal`; null: they are stored in clear. */
  readonly secretKeys: readonly string[] | null;
  /** Files serve one machine; executors on several machines share a MongoDB. */
  readonly store: 'files' | { readonly mongodbUrl: string };
}

/** Opens them. */
export async function openCredentials(
  { dataFolder, secretKeys, store }: CredentialsPlace,
  { clock, entropy }: { readonly clock: Clock; readonly entropy: Entropy },
): Promise<Credentials> {
  if (store === 'files') return new FileCredentials(path.join(dataFolder, 'instances'), entropy);
  return MongoCredentials.open({ clock, entropy, secretKeys, url: store.mongodbUrl });
}
