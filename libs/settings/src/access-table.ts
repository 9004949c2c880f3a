import { parsePath } from './parsers.js';
import { parseGrants } from './role-grants.js';
import type { SettingEntry } from './setting-entry.js';
import type { Settings } from './settings.js';

type AccessKey = Extract<
  keyof Settings,
  `tls${string}` | 'access' | 'mtlsGrants' | 'proxySecretFile'
>;

/** The settings of TLS, of client certificates, proxies and bindings: a part of the table. */
export const ACCESS_SETTINGS: {
  readonly [K in AccessKey]: SettingEntry<Settings[K]>;
} = {
  access: {
    parse: parsePath,
    fallback: null,
    meaning: 'JSON file that grants rights to users of oidc, mtls and proxy; watched',
  },
  mtlsGrants: {
    parse: parseGrants,
    fallback: null,
    meaning:
      'roles and limits by names in client certificates, like spiffe://prod/ci=starter; more',
  },
  proxySecretFile: {
    parse: parsePath,
    fallback: null,
    meaning:
      'file with the secret of a proxy that authenticates people; read again when it changes',
  },
  tlsCert: {
    parse: parsePath,
    fallback: null,
    meaning: 'PEM file of the certificate chain: the app speaks HTTPS; read again when it changes',
  },
  tlsKey: {
    parse: parsePath,
    fallback: null,
    meaning: "PEM file of the certificate's private key",
  },
  tlsClientCa: {
    parse: parsePath,
    fallback: null,
    meaning: 'PEM file of the authorities of client certificates; read again when it changes',
  },
};
