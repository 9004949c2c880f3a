#!/usr/bin/env node
/**
 * Whether the process with these settings is ready, for HEALTHCHECK of an image: exit code 0 if
 * it is, else 1 with the reason. Ready, not merely alive: nothing should be sent to a process
 * whose store does not answer. It asks where `BACKSTEP_HTTP` listens, by TLS if the process has a
 * certificate; `/readyz` wants no key and no client certificate.
 */
import { get as getPlainly } from 'node:http';
import { get as getByTls } from 'node:https';
import { loadSettings } from '../dist/libs/settings/src/index.js';

const ANSWER_MS = 2_500;

/** Addresses that stand for all of a machine, and how it reaches itself. */
const LOOPBACK_OF = { '0.0.0.0': '127.0.0.1', '::': '::1' };

const { env } = process;
const { http, tlsCert } = loadSettings({ mode: 'start', isForShow: true, env, cwd: process.cwd() });
const place =
  'socket' in http
    ? { socketPath: http.socket }
    : { host: LOOPBACK_OF[http.host] ?? http.host, port: http.port };
const get = tlsCert === null ? getPlainly : getByTls;
// The certificate is of the name that others ask for.
const asked = get({ ...place, path: '/readyz', timeout: ANSWER_MS, rejectUnauthorized: false });
asked.on('response', (answer) => {
  if (answer.statusCode === 200) process.exit(0);
  answer.setEncoding('utf8');
  let said = '';
  answer.on('data', (part) => (said += part));
  answer.on('end', () => fail(said));
});
asked.on('timeout', () => fail('it does not answer'));
asked.on('error', (error) => fail(error.message));

function fail(reason) {
  process.stderr.write(`not ready: ${reason}\n`);
  process.exit(1);
}
