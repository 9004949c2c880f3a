export { EnvSecrets } from './env-secrets.js';
export { FileSecrets } from './file-secrets.js';
export { VaultSecrets } from './vault-secrets.js';
