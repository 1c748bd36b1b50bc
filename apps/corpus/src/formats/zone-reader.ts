import { type FiledName, fileName } from '../names/registrable-name.js';
import type { ReadLine } from './read-line.js';

const BETWEEN = /[ \t]+/;
const FIELDS = 5;

/**
 * Reads the names that a zone delegates, from lines `name. TTL class type data` in the format of CZDS: absolute names,
 * the SOA record first. For records other than NS, only the format is checked.
 */
export class ZoneReader {
  /** The zone, without the final dot; known once the SOA record has been read. */
  origin?: string;
  private lastOwner = '';

  read(line: string): ReadLine<FiledName> {
    if (line === '' || line.startsWith(';')) return 'nothing';
    const [owner, , , type, data] = line.split(BETWEEN, FIELDS);
    if (data === undefined || !owner.endsWith('.')) return 'bad';
    const isType = type.toUpperCase();
    if (this.origin === undefined) {
      if (isType !== 'SOA' || owner === '.') return 'bad';
      this.origin = owner.slice(0, -1).toLowerCase();
      return 'nothing';
    }
    if (owner === this.lastOwner || isType !== 'NS') return 'nothing';
    this.lastOwner = owner;
    const name = owner.slice(0, -1).toLowerCase();
    if (name === this.origin) return 'nothing';
    if (!name.endsWith(`.${this.origin}`)) return 'bad';
    // A delegation below the level at which names are registered is not a registration, but not a fault either.
    const filed = fileName(name);
    if (!filed) return 'bad';
    return filed.name === name ? filed : 'nothing';
  }
}
