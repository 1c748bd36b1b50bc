import { isUtf8 } from 'node:buffer';

/** Thrown for a malformed message, for example one that ends too early or contains a loop of pointers. */
export class MalformedMessage extends Error {}

const NAME_LENGTH_MAX = 255;
const LABEL_LENGTH_MAX = 63;
/**
 * The maximum length of all names in a message, because pointers can turn each record of 12 octets into a name of a
 * thousand characters.
 */
const NAMES_LENGTH_MAX = 256 * 1024;
const POINTER = 0xc0;
const UTF8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a message octet by octet. Never reads past the end, and no name causes an endless loop. */
export class WireReader {
  position = 0;
  private namesLength = 0;

  constructor(private readonly bytes: Uint8Array) {}

  get length(): number {
    return this.bytes.length;
  }

  u8(): number {
    this.need(1);
    return this.bytes[this.position++];
  }

  u16(): number {
    this.need(2);
    const value = (this.bytes[this.position] << 8) | this.bytes[this.position + 1];
    this.position += 2;
    return value;
  }

  u32(): number {
    return this.u16() * 0x1_0000 + this.u16();
  }

  take(length: number): Uint8Array {
    this.need(length);
    const start = this.position;
    this.position += length;
    return this.bytes.subarray(start, this.position);
  }

  /**
   * Reads a name in zone file format, without the final dot. Each pointer must lead further back than the previous
   * one, so that a chain of pointers ends (RFC 1035 §4.1.4).
   * @throws MalformedMessage
   */
  name(): string {
    let text = '';
    let length = 0;
    let limit = this.position;
    let end = -1;
    for (;;) {
      const head = this.u8();
      if (head >= POINTER) {
        const target = ((head & ~POINTER) << 8) | this.u8();
        if (target >= limit) throw new MalformedMessage('a pointer does not lead backwards');
        if (end === -1) end = this.position;
        limit = target;
        this.position = target;
        continue;
      }
      if (head > LABEL_LENGTH_MAX) throw new MalformedMessage('a label of an unknown kind');
      if (head === 0) break;
      length += head + 1;
      if (length >= NAME_LENGTH_MAX) throw new MalformedMessage('a name is too long');
      text += (text === '' ? '' : '.') + labelText(this.take(head));
    }
    if (end !== -1) this.position = end;
    this.namesLength += text.length;
    if (this.namesLength > NAMES_LENGTH_MAX) throw new MalformedMessage('the names are too long');
    return text === '' ? '.' : text;
  }

  /**
   * Reads a character string (RFC 1035 §3.3): an octet with its length, then its octets. @returns one character per
   * octet.
   */
  characterString(): string {
    return octetsOf(this.take(this.u8()));
  }

  private need(length: number): void {
    if (this.position + length > this.bytes.length) {
      throw new MalformedMessage('the message ends too early');
    }
  }
}

/** Converts bytes to a string with one character per octet. */
export function octetsOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}

/** Decodes the octets of a record's text: as UTF-8 if that is valid, otherwise as one character per octet. */
export function octetsText(octets: string): string {
  try {
    return UTF8.decode(Buffer.from(octets, 'latin1'));
  } catch {
    return octets;
  }
}

/**
 * Decodes a record's strings: as UTF-8 if their octets together are valid, otherwise each by itself. A character that
 * is split between two strings is put in the second one.
 */
export function stringsText(strings: readonly string[]): string[] {
  const octets = strings.map((text) => Buffer.from(text, 'latin1'));
  const whole = Buffer.concat(octets);
  if (!isUtf8(whole)) return strings.map(octetsText);
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return octets.map((part) => decoder.decode(part, { stream: true }));
}

/** Escapes unprintable octets, dots and backslashes (RFC 1035 §5.1). */
function labelText(octets: Uint8Array): string {
  let text = '';
  for (const octet of octets) {
    if (octet === 0x2e || octet === 0x5c) text += `\\${String.fromCharCode(octet)}`;
    else if (octet > 0x20 && octet < 0x7f) text += String.fromCharCode(octet);
    else text += `\\${String(octet).padStart(3, '0')}`;
  }
  return text;
}
