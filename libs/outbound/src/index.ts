export { exceptionsOf, isMetadata, mayReach, WrongException } from './address-rules.js';
export { AddressRefused, CheckedResolver, type Resolve } from './checked-resolver.js';
export {
  bodyText,
  BodyTooLarge,
  decodeContent,
  exchange,
  type Exchange,
  type Received,
  type Sent,
  UnreadableBody,
} from './exchange.js';
export { type Asked, HttpClient, signWebhook, webUrl, WrongUrl } from './http-client.js';
