import { commentsOf } from './source-tree.js';
import type { SourceUnit } from './source-tree.js';

/** A turn of phrase that readers stumble over, and what to say. */
interface Phrase {
  readonly said: RegExp;
  readonly instead: string;
}

const PHRASES: readonly Phrase[] = [
  { said: /\bwhom?ever\b/gi, instead: 'a noun: the caller, the process, the reader' },
  { said: /\bsomebody\b/gi, instead: 'a person, a caller, another process' },
  { said: /\banew\b/gi, instead: 'again' },
  { said: /\bthereby\b/gi, instead: 'so' },
  // Of "each of which" and its like the antecedent is clear.
  {
    said: /(?<!\b(all|any|both|each|few|half|many|most|neither|none|one|part|some|two) )\bof (which|whom)\b/gi,
    instead: 'whose, or its',
  },
  { said: /\b(comes?|came|coming) to\b/gi, instead: 'the value of, results in, reaches' },
  { said: /\b(has|have|had|keeps?|kept) the say\b/gi, instead: 'owns' },
  { said: /\bso many\b(?! that)/gi, instead: 'a number of, at most, this number of' },
  { said: /\bof before\b/gi, instead: 'earlier' },
];

/** Folders whose comments are still to be mended: the rule is not held against these. */
const TO_COME = /^(apps\/(cli|console|oss)|libs\/(core|engine|kinds|ports|testing))\//;

/** The phrases of a text that have a plain replacement, each with it. */
export function phrasesOf(words: string): string[] {
  return PHRASES.flatMap(({ instead, said }) =>
    [...words.matchAll(said)].map(([phrase]) => `"${phrase}" (say: ${instead})`),
  );
}

/** Comments that use such phrases. */
export function dialectComment(unit: SourceUnit): string[] {
  if (TO_COME.test(unit.path)) return [];
  return commentsOf(unit).flatMap(({ pos, words }) => {
    const { line } = unit.tree.getLineAndCharacterOfPosition(pos);
    return phrasesOf(words).map((phrase) => `${unit.path}:${line + 1} says ${phrase}`);
  });
}
