export { CATCH, SHARED_MEMBERS } from './any-step.js';
export {
  type Children,
  edgesIn,
  flatGraph,
  flowGraph,
  type GraphScope,
  type GraphStep,
  isReached,
  nodeId,
  type StepPath,
  taskGraph,
} from './graph.js';
export { ACTION_EXAMPLE, type KindDeclaration, STEPS_EXAMPLE } from './kind.js';
export { type HeldList, listsIn } from './lists.js';
export type {
  Member,
  Members,
  ObjectMember,
  TemplateForm,
  ValueMember,
  ValueType,
} from './member.js';
export { type Fields, mapObjects, objectsIn } from './objects.js';
export { freeName, kindOf, recordOf, stepNames, textOf } from './step-names.js';
export {
  DECLARATIONS,
  HOLDERS,
  innerMembers,
  KIND_NAMES,
  type KindName,
  KINDS,
  type Kinds,
  kindsWith,
  makingMember,
  namesOfTypes,
  OWN_MEMBERS,
} from './table.js';
