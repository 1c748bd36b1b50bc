import { readMetered } from '../rdap/json-reading.js';
import { WorkMeter } from '../whois/parse/reading/work-meter.js';
import type { NumberBlock } from './network-record.js';
import { readRdapNumber } from './rdap-number.js';
import { readRpsl } from './rpsl.js';

/** The form of an answer about addresses or AS numbers: an RDAP object of a class, or a text of port 43. */
export type NumberForm = 'ip network' | 'autnum' | 'rpsl';

export interface NumberReading {
  outcome: 'delivered' | 'parse_failed';
  block?: NumberBlock;
}

/** Reads an answer of a number registry. Pure, never throws; text without a block is `parse_failed`. */
export function readNumberAnswer(
  text: string,
  form: NumberForm,
  meter = new WorkMeter(),
): NumberReading {
  try {
    const block =
      form === 'rpsl'
        ? readRpsl(text)
        : readMetered(text, meter, (json) => readRdapNumber(json, form));
    return block === undefined ? { outcome: 'parse_failed' } : { outcome: 'delivered', block };
  } catch {
    return { outcome: 'parse_failed' };
  }
}
