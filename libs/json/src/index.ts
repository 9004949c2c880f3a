export { bytesOf, decodeText, fileText, NotUtf8, unmarked } from './decode-text.js';
export { pointerPart } from './find-fault.js';
export { endOfText } from './json-text.js';
export { type JsonLimits, readJson, readJsonInTurns } from './read-json.js';
export { OutputReader, outputText, TooLarge } from './output-reader.js';
export { WrongJson } from './wrong-json.js';
