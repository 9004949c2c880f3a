export { importFlow, type Source } from './import-flow.js';
export { type Note, NotImportable } from './names.js';
export { sampleScenario, type SampleScenario } from './sample-scenario.js';
