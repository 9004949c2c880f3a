export { CATCH, SHARED_MEMBERS } from './any-step.js';
export { ACTION_EXAMPLE, type KindDeclaration, STEPS_EXAMPLE } from './kind.js';
export type {
  BranchesMember,
  EntriesMember,
  FormsMember,
  Member,
  Members,
  ObjectMember,
  StepsMember,
  TemplateForm,
  TrueOrMember,
  ValueMember,
  ValueType,
  WordsMember,
} from './member.js';
export {
  DECLARATIONS,
  HOLDERS,
  KIND_NAMES,
  type KindName,
  KINDS,
  type Kinds,
  innerMembers,
  kindsWith,
  makingMember,
  namesOfTypes,
  OWN_MEMBERS,
} from './table.js';
export { type WrittenList, writtenLists } from './written-lists.js';
