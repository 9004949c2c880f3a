export { exceptionsOf, isMetadata, mayReach, WrongException } from './address-rules.js';
export { AddressRefused, CheckedResolver, type Resolve } from './checked-resolver.js';
export { bodyText, decodeContent, UnreadableBody } from './received-body.js';
export { BodyTooLarge, exchange, type Exchange, type Received, type Sent } from './exchange.js';
export { type Asked, HttpClient, webUrl, WrongUrl } from './http-client.js';
export { signWebhook } from './sign-webhook.js';
