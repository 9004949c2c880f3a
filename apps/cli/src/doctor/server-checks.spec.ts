import { expect, it } from '@jest/globals';
import { adviceFor } from './server-checks.js';

const error = (message: string, code?: number | string): Error => {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
};

it.each([
  [error('NOT_ALLOWED - vhost v not found', 530), /Check the vhost/],
  [error('Handshake terminated by server: 403 (ACCESS-REFUSED) with message "x"'), /password/],
  [error('connect ECONNREFUSED 127.0.0.1:5672', 'ECONNREFUSED'), /Start RabbitMQ/],
  [error('getaddrinfo ENOTFOUND broker', 'ENOTFOUND'), /host name/],
  [error('self-signed certificate', 'DEPTH_ZERO_SELF_SIGNED_CERT'), /NODE_EXTRA_CA_CERTS/],
  [error('unable to verify', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'), /NODE_EXTRA_CA_CERTS/],
  [error('certificate has expired', 'CERT_HAS_EXPIRED'), /Renew/],
  [error('altnames do not match', 'ERR_TLS_CERT_ALTNAME_INVALID'), /other names/],
  [error('wrong version number', 'ERR_SSL_WRONG_VERSION_NUMBER'), /does not speak TLS/],
  [error('Socket closed abruptly during opening handshake'), /amqps:/],
])('a connection that fails is advised on by its cause: %s', (cause, advice) => {
  const text = adviceFor({ kind: 'unreachable', error: cause });
  expect(text).toMatch(advice);
  if (!/password/.test(String(advice))) expect(text).not.toMatch(/password/);
});
