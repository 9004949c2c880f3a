export { LABELS_MAX, LabelsFailed, labelsQuestion, labelsWith, type Newcomer } from './labels.js';
export { childOutput, outputAt, taskOutput } from './outputs.js';
export {
  mergedParameters,
  type ParameterLayer,
  parametersFor,
  resultsFor,
  taskLayers,
  type Writer,
} from './parameters.js';
