export { type AppName, AppProcess, type Exit, type WrittenSettings } from './app-process.js';
export { createKey } from './create-key.js';
export {
  type Deployment,
  type DeploymentKind,
  type DeploymentOptions,
  type DeploymentPlan,
  DEPLOYMENTS,
  DISTRIBUTED,
  INDEPENDENT,
  STANDALONE,
  startDeployment,
} from './deployment.js';
export { bundledOf, entryOf, REPOSITORY } from './repository.js';
export { type ModuleName, MODULES, SECRET_KEY, Stack, type StackOptions } from './stack.js';
export { planStandalone, type StandaloneOptions } from './standalone.js';
