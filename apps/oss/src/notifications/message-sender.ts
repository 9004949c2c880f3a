import { NoAnswer, withinLimit } from '#machine';
import { messageLine, type MessageSender, messageText, NotSent } from '#notifications';
import { pagerdutyBody, slackBody, webhookBody } from '#notifications';
import { AddressRefused, type CheckedResolver, HttpClient, signWebhook, webUrl } from '#outbound';
import { isThisMachine } from '#settings';
import type { Clock, DeliveryRecord, NotificationChannel, NotificationRecord } from '#ports';
import type { ChannelSecrets } from './channel-secrets.js';

/** Longest time for one message: far less than its claim is good for. */
const SEND_MS = 10_000;

/** Bytes of an answer that are read. */
const ANSWER_MAX = 64 * 1024;

/** Where version 2 of the Events API of PagerDuty is, unless a channel says otherwise. */
const PAGERDUTY_URL = 'https://events.pagerduty.com/v2/enqueue';

/** Dependencies of a sender of messages. */
interface SenderParts {
  readonly clock: Clock;
  readonly resolver: CheckedResolver;
  readonly secrets: ChannelSecrets;
  /** Whether e-mail may take its password to other machines in clear text. */
  readonly insecure: boolean;
  /** Origin of the gateway as people reach it, for links. Null, the default: none is known. */
  readonly publicUrl?: string | null | undefined;
}

type Of<Type extends NotificationChannel['type']> = Extract<NotificationChannel, { type: Type }>;

/** Sends messages over the channels of their rules, to what may be reached. */
export class ChannelSender implements MessageSender {
  private readonly client: HttpClient;

  constructor(private readonly parts: SenderParts) {
    this.client = new HttpClient({ resolver: parts.resolver, bodyMax: ANSWER_MAX });
  }

  async send(rule: NotificationRecord, delivery: DeliveryRecord): Promise<void> {
    const channel = this.parts.secrets.open(rule.order.channel, rule.id);
    const limit = { clock: this.parts.clock, ms: SEND_MS };
    const attempt = (signal: AbortSignal): Promise<void> => this.over(channel, delivery, signal);
    await withinLimit(attempt, limit).catch((error: unknown) => {
      throw error instanceof NotSent ? error : new NotSent(reasonOf(error));
    });
  }

  private get publicUrl(): string | null {
    return this.parts.publicUrl ?? null;
  }

  private over(
    channel: NotificationChannel,
    delivery: DeliveryRecord,
    signal: AbortSignal,
  ): Promise<void> {
    switch (channel.type) {
      case 'webhook':
        return this.webhook(channel, delivery, signal);
      case 'slack':
        return this.post(channel.url, { body: slackBody(delivery, this.publicUrl) }, signal);
      case 'pagerduty': {
        const { publicUrl } = this;
        const body = pagerdutyBody({ delivery, publicUrl, routingKey: channel.routingKey });
        return this.post(channel.url ?? PAGERDUTY_URL, { body }, signal);
      }
      default:
        return this.email(channel, delivery);
    }
  }

  /** Signed as standardwebhooks.com describes it. The id stays the same when it is sent again. */
  private webhook(
    { secret, url }: Of<'webhook'>,
    delivery: DeliveryRecord,
    signal: AbortSignal,
  ): Promise<void> {
    const body = webhookBody(delivery, this.publicUrl);
    const timestamp = String(Math.floor(this.parts.clock.now() / 1_000));
    const signed = `${delivery.id}.${timestamp}.${JSON.stringify(body)}`;
    const headers = {
      'webhook-id': delivery.id,
      'webhook-timestamp': timestamp,
      ...(secret !== undefined && { 'webhook-signature': signWebhook(secret, signed) }),
    };
    return this.post(url, { body, headers }, signal);
  }

  private async post(
    url: string,
    { body, headers }: { readonly body: object; readonly headers?: Record<string, string> },
    signal: AbortSignal,
  ): Promise<void> {
    const own = { 'content-type': 'application/json', 'user-agent': 'backstep' };
    const sent = {
      method: 'POST',
      url: webUrl(url),
      headers: { ...own, ...headers },
      body: JSON.stringify(body),
    };
    // A redirect would take the message, and the trust in its receiver, elsewhere.
    const { status } = await this.client.send(sent, { signal, isWanted: () => true });
    if (status < 200 || status > 299) throw new NotSent(`It was answered with status ${status}.`);
  }

  private async email({ from, server, to }: Of<'email'>, delivery: DeliveryRecord): Promise<void> {
    const url = new URL(server);
    const [host] = await this.parts.resolver.addressesOf(url);
    const isSecure = url.protocol === 'smtps:';
    const user = decodeURIComponent(url.username);
    const isClearFine = url.password === '' || isThisMachine(url.host) || this.parts.insecure;
    // Loaded when it is used: most processes send no mail.
    const { createTransport } = await import('nodemailer');
    const transport = createTransport({
      // The address that was checked, and no other that the name may have a moment later.
      host: host ?? '',
      port: url.port === '' ? (isSecure ? 465 : 587) : Number(url.port),
      secure: isSecure,
      requireTLS: !isClearFine,
      tls: { servername: url.hostname },
      ...(user !== '' && { auth: { user, pass: decodeURIComponent(url.password) } }),
      connectionTimeout: SEND_MS,
      greetingTimeout: SEND_MS,
      socketTimeout: SEND_MS,
    });
    try {
      const line = messageLine(delivery);
      await transport.sendMail({
        from,
        to: [...to],
        subject: `[Backstep] ${line.slice(0, 200)}`,
        text: `${messageText(delivery, this.publicUrl)}\n\nNotification ${delivery.rule}, message ${delivery.id}.\n`,
        messageId: `<${delivery.id}@backstep>`,
      });
    } finally {
      transport.close();
    }
  }
}

/** Texts of errors may quote the address, which may hold a secret: only codes are told. */
function reasonOf(error: unknown): string {
  if (error instanceof AddressRefused) {
    return 'Its address is not public, and BACKSTEP_HTTP_ALLOW does not list it.';
  }
  if (error instanceof NoAnswer) return 'It did not answer in time.';
  if ((error as { code?: unknown }).code === 'ETLS') return 'It offers no TLS that can be used.';
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const said = [responseCode, code].find(
    (one) => typeof one === 'string' || typeof one === 'number',
  );
  return `It cannot be reached (${String(said ?? 'FAILED')}).`;
}
