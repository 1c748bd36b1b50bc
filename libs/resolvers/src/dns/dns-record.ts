/** Record types that can be queried, by their numbers (IANA DNS parameters). */
export const DNS_TYPES = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  DS: 43,
  SPF: 99,
  CAA: 257,
} as const;
export type DnsType = keyof typeof DNS_TYPES;

export const TYPE_BY_CODE: ReadonlyMap<number, DnsType> = new Map(
  Object.entries(DNS_TYPES).map(([name, code]) => [code, name as DnsType]),
);

/** Response codes (RFC 1035 §4.1.1, RFC 6895 §2.3) by their numbers, in lower case. */
const RCODES = [
  'noerror',
  'formerr',
  'servfail',
  'nxdomain',
  'notimp',
  'refused',
  'yxdomain',
  'yxrrset',
  'nxrrset',
  'notauth',
  'notzone',
] as const;
export type Rcode = (typeof RCODES)[number] | `rcode${number}`;

/** Returns the name of a response code. @param code including the upper bits of EDNS, 0 to 4095. */
export function rcodeNamed(code: number): Rcode {
  return RCODES[code] ?? `rcode${code}`;
}

interface Common {
  /** The owner in lower case, without the final dot; `.` for the root. Unusual octets are escaped (RFC 1035 §5.1). */
  name: string;
  ttlSeconds: number;
}

export type DnsRecord = Common &
  (
    | { type: 'A' | 'AAAA'; address: string }
    | { type: 'NS' | 'CNAME' | 'PTR'; target: string }
    | { type: 'MX'; priority: number; exchange: string }
    | { type: 'TXT' | 'SPF'; strings: string[] }
    | {
        type: 'SOA';
        mname: string;
        rname: string;
        serial: number;
        refresh: number;
        retry: number;
        expire: number;
        minimum: number;
      }
    | { type: 'CAA'; flags: number; tag: string; value: string }
    | { type: 'DS'; keyTag: number; algorithm: number; digestType: number; digest: string }
  );

export interface DnsMessage {
  id: number;
  rcode: Rcode;
  isResponse: boolean;
  isTruncated: boolean;
  /** Whether the message exceeded the limits, so that its end was not read. */
  isCut: boolean;
  isAuthoritative: boolean;
  /** Whether the resolver has verified the signatures (RFC 4035 §3.2.3). */
  isAuthenticated: boolean;
  /** The name in the question as returned, with its case. */
  questionName: string;
  questionType: number;
  answers: DnsRecord[];
  authorities: DnsRecord[];
}
