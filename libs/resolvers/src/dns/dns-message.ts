import { formatIpv6 } from './ipv6-text.js';
import {
  type DnsMessage,
  type DnsRecord,
  type DnsType,
  DNS_TYPES,
  TYPE_BY_CODE,
  rcodeNamed,
} from './dns-record.js';
import { MalformedMessage, WireReader, octetsOf } from './wire-reader.js';

/** The maximum size of a UDP answer, so that it fits into one packet on every path (DNS flag day 2020). */
const EDNS_PAYLOAD_BYTES = 1_232;
const HEADER_BYTES = 12;
const OPT = 41;
const IN = 1;
/**
 * FORMERR and NOTIMP. A server that cannot parse a question may send them without repeating the question (RFC 6891 §7).
 */
const BARE_REFUSALS: ReadonlySet<number> = new Set([1, 4]);
/**
 * The maximum number of answers; reading ends at the next one. The owner of a name decides how many records it has, and
 * each takes time to read, to store and to send.
 */
const ANSWERS_MAX = 256;
const READ_BYTES_MAX = 16 * 1024;
/** The maximum TTL: RFC 2181 §8 allows 31 bits, and a larger value means 0. */
const TTL_MAX = 0x7fff_ffff;

const RESPONSE = 0x8000;
const AUTHORITATIVE = 0x0400;
const TRUNCATED = 0x0200;
const RECURSION_DESIRED = 0x0100;
const RECURSION_AVAILABLE = 0x0080;
const AUTHENTICATED = 0x0020;

export interface Question {
  /** 0 to 65535. */
  id: number;
  /** Labels of ASCII letters, digits, hyphens and underscores; validated by the caller. */
  name: string;
  type: DnsType;
  /** False only for servers that do not support EDNS (RFC 6891 §7). */
  hasEdns: boolean;
}

/**
 * Encodes a recursive query. Its AD bit asks the server to set that bit in the answer (RFC 6840 §5.7). With `hasEdns`,
 * it allows UDP answers of more than 512 bytes (RFC 6891).
 */
export function writeQuestion({ id, name, type, hasEdns }: Question): Buffer {
  const labels = name === '.' ? [] : name.split('.');
  const nameBytes = labels.reduce((sum, label) => sum + label.length + 1, 1);
  const bytes = Buffer.alloc(HEADER_BYTES + nameBytes + 4 + (hasEdns ? 11 : 0));
  bytes.writeUInt16BE(id, 0);
  bytes.writeUInt16BE(RECURSION_DESIRED | AUTHENTICATED, 2);
  bytes.writeUInt16BE(1, 4);
  bytes.writeUInt16BE(hasEdns ? 1 : 0, 10);
  let at = HEADER_BYTES;
  for (const label of labels) {
    bytes[at++] = label.length;
    at += bytes.write(label, at, 'latin1');
  }
  at++;
  at = bytes.writeUInt16BE(DNS_TYPES[type], at);
  at = bytes.writeUInt16BE(IN, at);
  if (!hasEdns) return bytes;
  at++;
  at = bytes.writeUInt16BE(OPT, at);
  bytes.writeUInt16BE(EDNS_PAYLOAD_BYTES, at);
  return bytes;
}

/**
 * Parses an answer, up to the limits. Records of types that we do not query are skipped. FORMERR and NOTIMP responses
 * may lack the question; the name is then empty.
 * @throws MalformedMessage for octets that are not a complete message; a truncated message (TC) is read as far as
 *   possible.
 */
export function readMessage(bytes: Uint8Array): DnsMessage {
  const reader = new WireReader(bytes);
  const id = reader.u16();
  const flags = reader.u16();
  const counts = [reader.u16(), reader.u16(), reader.u16(), reader.u16()];
  const isBare = counts[0] === 0 && BARE_REFUSALS.has(flags & 0xf);
  if (counts[0] !== 1 && !isBare) throw new MalformedMessage('an answer has one question');
  const questionName = isBare ? '' : reader.name();
  const questionType = isBare ? 0 : reader.u16();
  if (!isBare && reader.u16() !== IN) {
    throw new MalformedMessage('the question is of another class');
  }
  const isTruncated = (flags & TRUNCATED) !== 0;
  let code = flags & 0xf;
  let isCut = false;
  const sections: DnsRecord[][] = [[], [], []];
  try {
    for (let section = 0; section < sections.length && !isCut; section++) {
      for (let i = 0; i < counts[section + 1] && !isCut; i++) {
        const read = readRecord(reader);
        if (typeof read === 'number') code |= read << 4;
        else if (read !== undefined) sections[section].push(read);
        isCut = sections[0].length > ANSWERS_MAX || reader.position > READ_BYTES_MAX;
      }
    }
  } catch (error) {
    if (!isTruncated) throw error;
  }
  const isRefusal = code === 0 && isReferral(flags, sections);
  return {
    id,
    rcode: isRefusal ? 'refused' : rcodeNamed(code),
    isResponse: (flags & RESPONSE) !== 0,
    isTruncated,
    isCut,
    isAuthoritative: (flags & AUTHORITATIVE) !== 0,
    isAuthenticated: (flags & AUTHENTICATED) !== 0,
    questionName,
    questionType,
    answers: sections[0].slice(0, ANSWERS_MAX),
    authorities: sections[1],
  };
}

/**
 * True for a referral (RFC 2308 §2.2): a server that does not resolve names for us only names other servers, so its
 * answer does not show that there are no records.
 */
function isReferral(flags: number, [answers, authorities]: readonly DnsRecord[][]): boolean {
  const isFinal = (flags & (RECURSION_AVAILABLE | AUTHORITATIVE)) !== 0 || answers.length > 0;
  const types = authorities.map(({ type }) => type);
  return !isFinal && types.includes('NS') && !types.includes('SOA');
}

/**
 * Reads the next record.
 * @returns the record; the upper bits of the response code for OPT; undefined for other types and classes.
 * @throws MalformedMessage
 */
function readRecord(reader: WireReader): DnsRecord | number | undefined {
  const name = reader.name().toLowerCase();
  const typeCode = reader.u16();
  const classCode = reader.u16();
  const ttl = reader.u32();
  const dataBytes = reader.u16();
  const end = reader.position + dataBytes;
  if (end > reader.length) throw new MalformedMessage('a record is longer than the message');
  const type = TYPE_BY_CODE.get(typeCode);
  if (typeCode === OPT) {
    reader.position = end;
    return ttl >>> 24;
  }
  if (type === undefined || classCode !== IN) {
    reader.position = end;
    return undefined;
  }
  const data = readData(reader, type, end);
  if (reader.position !== end) throw new MalformedMessage('a record is not as long as it says');
  return { name, ttlSeconds: ttl > TTL_MAX ? 0 : ttl, ...data } as DnsRecord;
}

/** Reads the type-specific part of a record (RFC 1035 §3.3, RFC 3596, RFC 4034 §5, RFC 8659 §4.1). */
function readData(reader: WireReader, type: DnsType, end: number): object {
  switch (type) {
    case 'A':
      return { type, address: reader.take(4).join('.') };
    case 'AAAA':
      return { type, address: formatIpv6(reader.take(16)) };
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return { type, target: reader.name().toLowerCase() };
    case 'MX':
      return { type, priority: reader.u16(), exchange: reader.name().toLowerCase() };
    case 'TXT':
    case 'SPF': {
      const strings: string[] = [];
      while (reader.position < end) strings.push(reader.characterString());
      return { type, strings };
    }
    case 'SOA':
      return {
        type,
        mname: reader.name().toLowerCase(),
        rname: reader.name().toLowerCase(),
        serial: reader.u32(),
        refresh: reader.u32(),
        retry: reader.u32(),
        expire: reader.u32(),
        minimum: reader.u32(),
      };
    case 'CAA': {
      const flags = reader.u8();
      const tag = reader.characterString();
      if (reader.position > end) throw new MalformedMessage('a tag is longer than its record');
      return { type, flags, tag, value: octetsOf(reader.take(end - reader.position)) };
    }
    case 'DS': {
      const [keyTag, algorithm, digestType] = [reader.u16(), reader.u8(), reader.u8()];
      if (reader.position > end) throw new MalformedMessage('a digest is missing');
      const digest = Buffer.from(reader.take(end - reader.position)).toString('hex');
      return { type, keyTag, algorithm, digestType, digest };
    }
  }
}
