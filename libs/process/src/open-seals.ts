import { SealedTokens, TextSeal } from '#access';
import { newSecret } from '#machine';
import { type CompletionTokens, type RecordStore, sharedSecret } from '#ports';

/** The seals that all processes with one store share. */
interface Seals {
  readonly completionTokens: CompletionTokens;
  /** Seals the secrets of the channels of notifications. */
  readonly channelSeal: TextSeal;
}

/** Under this name the processes share what completion tokens are made with. */
const COMPLETION_SECRET = 'completion tokens';

/** Under this name they share what channels are sealed with where no key was set. */
const CHANNEL_SECRET = 'notification channels';

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
    channelSeal: new TextSeal(channelKeys, 'notification channels'),
  };
}
