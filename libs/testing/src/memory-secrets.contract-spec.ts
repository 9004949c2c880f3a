import { MemorySecrets } from './memory-secrets.js';
import { secretResolverContract } from './contracts/secret-resolver.js';

secretResolverContract('memory', async () => {
  const resolver = new MemorySecrets();
  return {
    resolver,
    hasKeys: true,
    put: async ({ key, path }, secret) => {
      resolver.secrets.set(key === null ? path : `${path}#${key}`, secret);
    },
    leave: async () => {
      resolver.isAway = true;
    },
    comeBack: async () => {
      resolver.isAway = false;
    },
    close: async () => {},
  };
});
