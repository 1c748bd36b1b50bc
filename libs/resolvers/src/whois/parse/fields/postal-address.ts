import type { AddressPart } from './contact-field.js';
import { countryCode } from './countries.js';

export interface PostalAddress {
  street: string[];
  city?: string;
  state?: string;
  postalCode?: string;
  country?: string;
}

/**
 * Reads address lines. The last lines are the parts that the registry prints there, in its order. A part that is not
 * valid at its position (such as an unknown country) stays in the street.
 */
export function readPostalAddress(
  lines: readonly string[],
  parts: readonly AddressPart[],
): PostalAddress {
  const address: PostalAddress = { street: [...lines] };
  const order = fitting(lines.length, parts);
  for (let at = order.length - 1; at >= 0; at -= 1) {
    const line = address.street[address.street.length - 1];
    if (address.street.length < 2 || line === undefined) break;
    if (take(address, order[at], line)) address.street.pop();
  }
  return address;
}

/**
 * Splits a line with a city: `Mountain View, CA 94043`, `US-94043 Mountain View`, `2312 BH Leiden`.
 * @returns undefined for a line of any other form.
 */
export function readCityLine(line: string): Omit<PostalAddress, 'street'> | undefined {
  const comma = line.lastIndexOf(',');
  if (comma > 0) {
    const words = line
      .slice(comma + 1)
      .split(' ')
      .filter((it) => it !== '');
    const [state, ...rest] = words;
    if (rest.length > 0 && /[0-9]/.test(rest.join('')) && !/[0-9]/.test(state)) {
      return { city: line.slice(0, comma).trim(), state, postalCode: rest.join(' ') };
    }
  }
  const space = line.indexOf(' ');
  if (space < 0 || !isPostalCode(line.slice(0, space))) return undefined;
  return { postalCode: line.slice(0, space), city: line.slice(space + 1).trim() };
}

function fitting(lineCount: number, parts: readonly AddressPart[]): readonly AddressPart[] {
  return lineCount > parts.length ? parts : parts.filter((part) => part !== 'state');
}

function take(address: PostalAddress, part: AddressPart, line: string): boolean {
  if (part === 'cityLine') {
    const city = readCityLine(line);
    if (city !== undefined) Object.assign(address, city);
    return city !== undefined;
  }
  if (part === 'country' && line.length !== 2 && countryCode(line) === undefined) return false;
  address[part] = line;
  return true;
}

function isPostalCode(word: string): boolean {
  let digits = 0;
  for (const character of word) {
    if (character >= '0' && character <= '9') digits += 1;
    else if (character !== '-' && !(character >= 'A' && character <= 'Z')) return false;
  }
  return digits >= 4 && word.length <= 10;
}
