export { EnvSecrets, FileSecrets } from './local-secrets.js';
export { VaultSecrets } from './vault-secrets.js';
