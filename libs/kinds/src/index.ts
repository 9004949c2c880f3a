export { CATCH, SHARED_MEMBERS } from './any-step.js';
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
