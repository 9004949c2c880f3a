export {
  importFlow,
  type Imported,
  type ImportRequest,
  type Source,
  SOURCES,
} from './import-flow.js';
export { NOTE_CODES, type Note, type NoteCode, NotImportable } from './notes.js';
export { sampleScenario, type SampleScenario } from './sample-scenario.js';
