import type { DnsAnswer, DnsRecordData } from '#libs/contracts';
import {
  DNS_TYPES,
  type DnsLookup,
  type DnsRecord,
  octetsText,
  recordText,
  stringsText,
} from '#libs/resolvers';
import type { Json } from '../serializers/whois-body.js';
import { queryTime } from '../serializers/whois-body.js';

/** Control characters, and characters that change the direction of writing. */
// oxlint-disable-next-line eslint/no-control-regex -- these characters are removed
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g;

export type DnsSubject = { domain_name: string } | { ip_address: string };

/** Returns the members of the answer; the gateway adds `meta`. */
export function dnsBody(subject: DnsSubject, lookup: DnsLookup, askedAt: Date): Json {
  const counts: Record<string, number> = {};
  for (const { type } of lookup.records) counts[type] = (counts[type] ?? 0) + 1;
  const answer: DnsAnswer = {
    status: true,
    ...subject,
    query_time: queryTime(askedAt),
    rcode: lookup.rcode ?? 'noerror',
    authenticated_data: lookup.isAuthenticated,
    dns_types: counts,
    dns_records: lookup.records.map(recordBody),
    errors: lookup.errors,
  };
  return { ...answer };
}

/**
 * Leaves out the types whose records would make all records, as JSON, longer than `bytesMax`, and marks these types in
 * `errors` as `too_many_records`.
 */
export function withinBytes(lookup: DnsLookup, bytesMax: number): DnsLookup {
  const errors = { ...lookup.errors };
  let room = bytesMax;
  for (const [type, records] of Map.groupBy(lookup.records, (record) => record.type)) {
    const bytes = Buffer.byteLength(JSON.stringify(records.map(recordBody)));
    if (bytes > room) errors[type] = 'too_many_records';
    else room -= bytes;
  }
  const records = lookup.records.filter(({ type }) => errors[type] !== 'too_many_records');
  return records.length === lookup.records.length ? lookup : { ...lookup, records, errors };
}

function recordBody(record: DnsRecord): DnsRecordData {
  const { name, type, ttlSeconds, ...data } = record;
  return {
    name,
    type,
    type_code: DNS_TYPES[type],
    ttl: ttlSeconds,
    raw_text: recordText(record),
    ...data,
    ...('strings' in data && { strings: stringsText(data.strings).map(withoutUnseen) }),
    ...('value' in data && { value: visible(data.value) }),
    ...('tag' in data && { tag: visible(data.tag) }),
  };
}

/** Removes invisible characters; `raw_text` still contains them, escaped. */
function visible(text: string): string {
  return withoutUnseen(octetsText(text));
}

function withoutUnseen(text: string): string {
  return text.replace(UNSEEN, '');
}
