import { Inject, Injectable } from '@nestjs/common';
import { newSecret } from '#machine';
import { Courier } from '#notifications';
import { CheckedResolver, exceptionsOf } from '#outbound';
import { type CommonParts, type MessageParts, OSS_OPTIONS } from '../options.js';
import { ChannelSecrets } from './channel-secrets.js';
import { ChannelSender } from './message-sender.js';

/** The services by which one gateway stores, shows and sends notifications. */
@Injectable()
export class NotificationDesk {
  readonly secrets: ChannelSecrets;
  readonly courier: Courier;

  constructor(@Inject(OSS_OPTIONS) options: CommonParts & MessageParts) {
    const { channelSeal, clock, deliveries, notifications, observer } = options;
    this.secrets = new ChannelSecrets(channelSeal, () => newSecret().secret);
    const resolver = new CheckedResolver(exceptionsOf(options.httpAllow));
    const { insecure, publicUrl } = options;
    const { secrets } = this;
    const sender = new ChannelSender({ clock, insecure, publicUrl, resolver, secrets });
    this.courier = new Courier({ clock, deliveries, notifications, observer, sender });
  }
}
