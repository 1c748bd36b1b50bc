import { readMetered } from '../rdap/json-reading.js';
import { WorkMeter } from '../whois/parse/reading/work-meter.js';
import type { NumberBlock } from './network-record.js';
import { contains, isEverything, numberRange } from './number-range.js';
import { readRdapNumber } from './rdap-number.js';
import { readRpsl } from './rpsl.js';

/** The form of an answer about addresses or AS numbers: an RDAP object of some class, or a text from port 43. */
export type NumberForm = 'ip network' | 'autnum' | 'rpsl';

export interface NumberContext {
  form: NumberForm;
  /** The first and last requested address or AS number (a plain number). */
  asked: readonly [start: string, end: string];
}

export interface NumberReading {
  outcome: 'delivered' | 'not_registered' | 'parse_failed';
  block?: NumberBlock;
}

const FAILED: NumberReading = { outcome: 'parse_failed' };
/** Texts in a registry's entry that say that another registry registers the numbers. */
const ELSEWHERE = [
  /^(?:NON-RIPE-NCC-MANAGED-ADDRESS-BLOCK|IANA-NETBLOCK-\d+|ERX-NETBLOCK)$/i,
  /\b(?:allocated|transferred) to (?:afrinic|apnic|arin|lacnic|ripe)\b/i,
];

/** The types and statuses of a block that has no holder. */
const FREE = /^(?:available|free|unallocated|unassigned)$/i;

/**
 * Parses an answer of a number registry. The function is pure and never throws. The outcome is `not_registered` for a
 * block without a holder, and `parse_failed` for a text without a block that contains all requested numbers, or for an
 * entry for numbers that other registries register.
 */
export function readNumberAnswer(
  text: string,
  { form, asked }: NumberContext,
  meter = new WorkMeter(),
): NumberReading {
  try {
    const wanted = numberRange(...asked);
    if (wanted === undefined) return FAILED;
    const block =
      form === 'rpsl'
        ? readRpsl(text, wanted)
        : readMetered(text, meter, (json) => readRdapNumber(json, form));
    if (block === undefined) return FAILED;
    const range = numberRange(block.start, block.end);
    if (range === undefined || !contains(range, wanted)) return FAILED;
    const isFree = [block.type ?? '', ...block.statuses].some((word) => FREE.test(word.trim()));
    if (isFree || isEverything(range)) return { outcome: 'not_registered' };
    const isElsewhere = ELSEWHERE.some((words) =>
      [block.name, block.type].some((given) => words.test(given ?? '')),
    );
    return isElsewhere ? FAILED : { outcome: 'delivered', block };
  } catch {
    return FAILED;
  }
}
