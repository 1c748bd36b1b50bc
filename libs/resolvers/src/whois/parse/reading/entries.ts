import { lookUpHeader, lookUpKey } from '../dictionary/dictionary.js';
import { guessHeader, guessTarget } from '../dictionary/guesses.js';
import { readTarget, type Target } from '../dictionary/target.js';
import type { ReadyGrammar } from '../grammars/grammar.js';
import { normalizeKey, readColumns, readKeyedValue, type KeyedValue } from './keys.js';
import type { Line } from './lines.js';
import type { WorkMeter } from './work-meter.js';

export interface Entry {
  indent: number;
  key: string;
  value: string;
  /** The meaning of the key; undefined for a text, or for an unknown key (see `key`). */
  target?: Target;
  /** Whether the line is an unknown header; the following lines do not belong to the previous section. */
  opensUnknown: boolean;
}

const HEADER_LENGTH_MAX = 80;

/** The context of a line: whether it begins a block, and whether the next line is indented further. */
export interface Surroundings {
  startsBlock: boolean;
  isParent: boolean;
}

/** Reads one line with the first layout that fits; otherwise, as plain text. */
export function readEntry(
  line: Line,
  { startsBlock, isParent }: Surroundings,
  grammar: ReadyGrammar,
  meter: WorkMeter,
): Entry {
  meter.count(line.body.length);
  let keyed = readKeyedValue(line.body);
  if (keyed !== undefined) {
    const target = targetOf(keyed, grammar);
    if (target !== undefined) return entryOf(line, keyed, target);
    if (keyed.tight) keyed = undefined;
  }
  return (
    readColumnEntry(line, grammar) ??
    readPhrase(line, grammar) ??
    (startsBlock || isParent ? readBareHeader(line, grammar) : undefined) ?? {
      indent: line.indent,
      key: keyed?.key ?? '',
      value: keyed?.value ?? line.body,
      opensUnknown: keyed !== undefined && keyed.value === '' && (isParent || keyed.bracketed),
    }
  );
}

function targetOf(keyed: KeyedValue, grammar: ReadyGrammar): Target | undefined {
  const { key, value } = keyed;
  if (value !== '') return lookUpKey(key, grammar.keys) ?? guessTarget(key, value);
  const known = lookUpHeader(key, grammar.keys) ?? lookUpKey(key, grammar.keys);
  return known ?? guessHeader(key);
}

function readColumnEntry(line: Line, grammar: ReadyGrammar): Entry | undefined {
  const keyed = readColumns(line.body, grammar.columns);
  const target = keyed && lookUpKey(keyed.key, grammar.keys);
  return target && entryOf(line, keyed, target);
}

/**
 * Reads a field that is named by the first words of its line: `Record created on 2026-01-31`; undefined for any other
 * line.
 */
function readPhrase(line: Line, grammar: ReadyGrammar): Entry | undefined {
  const start = line.body.slice(0, HEADER_LENGTH_MAX).toLowerCase();
  const phrase = grammar.phrases.find(([words]) => start.startsWith(`${words} `));
  if (phrase === undefined) return undefined;
  const value = line.body.slice(phrase[0].length).trim();
  if (!/[0-9]/.test(value)) return undefined;
  return entryOf(line, { key: phrase[0], value }, readTarget(phrase[1]));
}

/** Reads a known header that is alone on its line, such as `Registrant`; undefined for any other line. */
function readBareHeader(line: Line, grammar: ReadyGrammar): Entry | undefined {
  if (line.body.length > HEADER_LENGTH_MAX || line.body.includes('  ')) return undefined;
  const key = normalizeKey(line.body);
  const target = lookUpHeader(key, grammar.keys);
  return target && entryOf(line, { key, value: '' }, target);
}

function entryOf(line: Line, keyed: Pick<KeyedValue, 'key' | 'value'>, target: Target): Entry {
  return { indent: line.indent, key: keyed.key, value: keyed.value, target, opensUnknown: false };
}
