export { type AppName, AppProcess, type Exit, type WrittenSettings } from './app-process.js';
export {
  type Deployment,
  type DeploymentKind,
  type DeploymentOptions,
  DEPLOYMENTS,
  startDeployment,
} from './deployment.js';
export { entryOf, REPOSITORY } from './repository.js';
export { type ModuleName, MODULES, Stack, type StackOptions } from './stack.js';
export { planStandalone, type StandaloneOptions } from './standalone.js';
