export { bytesOf } from './bytes-of.js';
export { pointerPart } from './pointer.js';
export { type JsonLimits, readJson, readJsonInTurns } from './read-json.js';
export { decodeText, fileText, NotUtf8 } from './decode-text.js';
export { OutputReader, outputText, TooLarge } from './output-reader.js';
export { WrongJson } from './wrong-json.js';
