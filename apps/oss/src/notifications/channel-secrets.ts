import type { TextSeal } from '#access';
import type { NotificationChannel } from '#ports';
import { MASK } from './channel.request.js';

/** Members that only the receiver reads. The path of a URL may be all that is secret of it. */
const SECRETS: Readonly<Record<NotificationChannel['type'], readonly string[]>> = {
  webhook: ['url', 'secret'],
  slack: ['url'],
  pagerduty: ['routingKey'],
  email: ['server'],
};

/** Seals the secrets of channels, shows them masked, and opens them to send. */
export class ChannelSecrets {
  constructor(
    private readonly seal: Pick<TextSeal, 'isByFirstKey' | 'seal' | 'unseal'>,
    private readonly newSecret: () => string,
  ) {}

  /** The channel as it is stored, under the id of its rule. */
  hide(channel: NotificationChannel, ruleId: string): NotificationChannel {
    return mapSecrets(channel, (text) => this.seal.seal(text, ownerOf(ruleId), this.newSecret()));
  }

  /** The channel in clear. Throws `CannotUnseal` where the key is not known. */
  open(channel: NotificationChannel, ruleId: string): NotificationChannel {
    return mapSecrets(channel, (text) => this.seal.unseal(text, ownerOf(ruleId)));
  }

  /** Whether a stored channel is sealed with a key that does not seal any more. */
  isOfOldKey(channel: NotificationChannel): boolean {
    let isOld = false;
    mapSecrets(channel, (text) => {
      isOld ||= !this.seal.isByFirstKey(text);
      return text;
    });
    return isOld;
  }

  /** The channel as answers show it. */
  mask(channel: NotificationChannel, ruleId: string): NotificationChannel {
    try {
      return mapSecrets(this.open(channel, ruleId), masked);
    } catch {
      return mapSecrets(channel, () => MASK);
    }
  }

  /**
   * Puts what is stored in the place of what was sent back masked. Where messages go to another
   * receiver, no key of the one before goes along: then its mask stays.
   */
  complete(
    written: NotificationChannel,
    stored: NotificationChannel | null,
    ruleId: string,
  ): NotificationChannel {
    if (stored?.type !== written.type) return written;
    const clear = this.open(stored, ruleId) as Texts;
    const whole = (text: string, name: string): string => {
      const known = clear[name];
      return typeof known === 'string' && masked(known) === text ? known : text;
    };
    const { url } = mapSecrets(written, whole) as Texts;
    return mapSecrets(written, (text, name) => {
      return url === clear['url'] || name === 'url' ? whole(text, name) : text;
    });
  }
}

type Texts = Readonly<Record<string, unknown>>;

function mapSecrets(
  channel: NotificationChannel,
  change: (text: string, name: string) => string,
): NotificationChannel {
  const texts: Record<string, unknown> = { ...channel };
  for (const name of SECRETS[channel.type]) {
    const text = texts[name];
    if (typeof text === 'string') texts[name] = change(text, name);
  }
  return texts as unknown as NotificationChannel;
}

/** Of a URL its host is told, because people have to know where messages go. */
function masked(text: string): string {
  if (!/^[a-z]+:\/\//.test(text) || !URL.canParse(text)) return MASK;
  const { host, protocol } = new URL(text);
  return `${protocol}//${host}/${MASK}`;
}

function ownerOf(ruleId: string): string {
  return `notification ${ruleId}`;
}
