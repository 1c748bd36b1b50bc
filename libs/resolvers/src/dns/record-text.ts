import type { DnsRecord } from './dns-record.js';

/** Formats one record as in a zone file or in `dig`: owner, TTL, class, type, data. */
export function recordText(record: DnsRecord): string {
  return `${dotted(record.name)}\t${record.ttlSeconds}\tIN\t${record.type}\t${dataText(record)}`;
}

function dataText(record: DnsRecord): string {
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return record.address;
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return dotted(record.target);
    case 'MX':
      return `${record.priority} ${dotted(record.exchange)}`;
    case 'TXT':
    case 'SPF':
      return record.strings.map(quoted).join(' ');
    case 'SOA': {
      const { mname, rname, serial, refresh, retry, expire, minimum } = record;
      return `${dotted(mname)} ${dotted(rname)} ${serial} ${refresh} ${retry} ${expire} ${minimum}`;
    }
    case 'CAA':
      return `${record.flags} ${escaped(record.tag)} ${quoted(record.value)}`;
    case 'DS':
      return `${record.keyTag} ${record.algorithm} ${record.digestType} ${record.digest.toUpperCase()}`;
  }
}

const dotted = (name: string) => (name === '.' ? '.' : `${name}.`);

/** Each octet as in a zone file: those that are not printable ASCII as `\DDD` (RFC 1035 §5.1). */
const QUOTED = Array.from({ length: 256 }, (_, octet) => {
  if (octet === 0x22 || octet === 0x5c) return `\\${String.fromCharCode(octet)}`;
  const isPlain = octet >= 0x20 && octet < 0x7f;
  return isPlain ? String.fromCharCode(octet) : `\\${String(octet).padStart(3, '0')}`;
});

/** Returns octets in quotation marks, as in a zone file. @param text one character per octet. */
const quoted = (text: string): string => `"${escaped(text)}"`;

function escaped(text: string): string {
  let shown = '';
  for (const octet of Buffer.from(text, 'latin1')) shown += QUOTED[octet];
  return shown;
}
