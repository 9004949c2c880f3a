import { FLOWS_MAX } from '../language/limits.js';
import { DEPTH_MAX, TEXT_LENGTH_MAX } from '../read-json.js';
import { CREATE, DROP, type FindingHelp, flow, LOOK, shown, told } from './example.js';

/** Help with findings that concern a file or its text, whatever its flows say. */
export const OF_FILES = {
  FOLDER_NOT_READABLE: told(
    'Check the name of the folder in `BACKSTEP_FLOWS`, and the permissions of the user that runs Backstep.',
    {
      when: 'there is no folder `flows`',
      line: 'flows:1:1 FOLDER_NOT_READABLE The folder does not exist. Create the folder, or set BACKSTEP_FLOWS to the one that holds your flow files.',
    },
  ),
  FILE_NOT_READABLE: told('Check the permissions of the file, and that it is not a folder.', {
    when: '`shop.json` is a link to itself',
    line: 'flows/shop.json:1:1 FILE_NOT_READABLE The file cannot be read (ELOOP). Let the user that Backstep runs as read it.',
  }),
  FILE_OUTSIDE_FOLDER: told('Put a copy of the file into the folder, in place of the link.', {
    when: '`shop.json` is a link to a file beside the folder',
    line: 'flows/shop.json:1:1 FILE_OUTSIDE_FOLDER The file is a link that leads out of the folder, so it is not read. Put the file itself there, or link to a file in the folder.',
  }),
  NOT_UTF8: told('Save the file as UTF-8.', {
    when: '`shop.json` begins with the bytes of UTF-16',
    line: 'flows/shop.json:1:1 NOT_UTF8 The file is not UTF-8 text. Save it as UTF-8 in your editor.',
  }),
  FILE_TOO_LARGE: told(
    `A flow file has at most ${TEXT_LENGTH_MAX} characters. Spread the flows over several files.`,
    {
      when: '`shop.json` has one character more',
      line: 'flows/shop.json:1:1 FILE_TOO_LARGE The text is longer than 1024 KiB. Spread the flows over several files.',
    },
  ),
  TOO_DEEP: told(
    `Lists and objects are nested at most ${DEPTH_MAX} deep. Move a part into a flow of its own.`,
    {
      when: '`shop.json` has a constant of 97 nested lists',
      line: 'flows/shop.json:1:143 TOO_DEEP Lists and objects are nested deeper than 96 levels here. Write it flatter.',
    },
  ),
  TOO_MANY_FLOWS: told(
    `A file defines at most ${FLOWS_MAX} flows. Spread them over several files.`,
    {
      when: '`shop.json` has one flow more',
      line: 'flows/shop.json:1:1 TOO_MANY_FLOWS The file defines more than 200 flows. Spread the flows over several files.',
    },
  ),
  TOO_MANY_PROBLEMS: told('Mend what is listed, then check again.', {
    when: '`shop.json` has 250 steps that are numbers',
    line: 'flows/shop.json:1:1 TOO_MANY_PROBLEMS There are 150 more problems. Repair the listed ones first.',
  }),
  DUPLICATE_FLOW: told('Each flow is defined by one file. Rename one of the two, or delete it.', {
    when: '`book.json` and `shop.json` both have a flow `order`',
    line: 'flows/shop.json:1:1 DUPLICATE_FLOW book.json defines a flow `order` already, and that one counts. Rename one of the two, or remove it.',
  }),
  SYNTAX: shown('Look at the named place: often a comma or a quotation mark is missing.', {
    wrong: `{\n  "create-db": {\n    "input": {},\n    "steps": [{ ${LOOK} }\n  }\n}`,
    mended: `{\n  "create-db": {\n    "input": {},\n    "steps": [{ ${LOOK} }]\n  }\n}`,
  }),
  DUPLICATE_MEMBER: shown('Keep one of the two: readers of JSON differ in which one counts.', {
    wrong: `{\n  "create-db": {\n    "timeout": "1h",\n    "input": {},\n    "timeout": "2h",\n    "steps": [{ ${LOOK} }]\n  }\n}`,
    mended: `{\n  "create-db": {\n    "input": {},\n    "timeout": "2h",\n    "steps": [{ ${LOOK} }]\n  }\n}`,
  }),
  FORBIDDEN_MEMBER: shown(
    'Choose another name: `__proto__` has a meaning of its own in JavaScript.',
    {
      wrong: flow(`{ "set": { "__proto__": 1, "cpu": 2 } }`),
      mended: flow(`{ "set": { "prototype": 1, "cpu": 2 } }`),
    },
  ),
  INEXACT_NUMBER: shown('Write the number as text, or with fewer digits.', {
    wrong: `{\n  "create-db": {\n    "input": {},\n    "constants": { "account": 9007199254740993 },\n    "steps": [{ ${LOOK} }]\n  }\n}`,
    mended: `{\n  "create-db": {\n    "input": {},\n    "constants": { "account": "9007199254740993" },\n    "steps": [{ ${LOOK} }]\n  }\n}`,
  }),
  NO_FLOW: shown('Add a flow: its name, and what it is.', {
    wrong: '{}',
    mended: flow(`{ ${CREATE}, ${DROP} }`),
  }),
} satisfies Readonly<Record<string, FindingHelp>>;
