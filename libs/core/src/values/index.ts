export { LABELS_MAX, labelsQuestion, labelsWith, literalLabels } from './labels.js';
export { childOutput, outputAt, taskOutput } from './outputs.js';
export {
  mergedParameters,
  type ParameterLayer,
  parametersFor,
  resultsFor,
  taskLayers,
  type Writer,
} from './parameters.js';
