import { parsePath } from './parsers.js';
import { parseGrants } from './role-grants.js';
import type { SettingEntry } from './setting-entry.js';
import type { Settings } from './settings.js';

/** The settings of TLS, of client certificates and of bindings: a part of the table. */
export const ACCESS_SETTINGS: {
  readonly [K in Extract<keyof Settings, `tls${string}` | 'access' | 'mtlsGrants'>]: SettingEntry<
    Settings[K]
  >;
} = {
  access: {
    parse: parsePath,
    fallback: null,
    meaning: 'JSON file that grants rights to users of oidc and mtls; watched',
  },
  mtlsGrants: {
    parse: parseGrants,
    fallback: null,
    meaning:
      'roles and limits by names in client certificates, like spiffe://prod/ci=starter; more',
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
