export { DnsClient, type DnsAnswer, type DnsClientOptions } from './dns/dns-client.js';
export { DnsFault, type DnsFaultKind } from './dns/dns-fault.js';
export { DNS_TYPES, type DnsRecord, type DnsType, type Rcode } from './dns/dns-record.js';
export { isAlias, lookUpDns, type DnsLookup, type DnsTypeError } from './dns/domain-dns.js';
export { NOT_ASKED } from './upstream-exchange.js';
export { PublicNames } from './dns/public-names.js';
export { recordText } from './dns/record-text.js';
export { octetsText, stringsText } from './dns/wire-reader.js';
export * from './domain-lookup.js';
export { JoinedRuns } from './joined-runs.js';
export type { LookupCounts } from './lookup-counts.js';
export type {
  AbuseContact,
  NetworkContact,
  NetworkSource,
  NumberBlock,
  NumberLookup,
} from './networks/network-record.js';
export { NumberLookups, type NumberRequest } from './number-lookups/number-lookup.js';
export { NumberRegistries, type NumberTables } from './networks/number-registries.js';
export { UpstreamLimiter, type UpstreamLimiterOptions } from './limiter/upstream-limiter.js';
export { mergeSources } from './merge.js';
export { ParserWorker, type ParserWorkerOptions } from './parser/parser-worker.js';
export type { Priority } from './limiter/upstream.js';
export type { BucketTerms, UpstreamLimit } from './limiter/upstream-limits.js';
export { CHOSEN_LIMITS, DEFAULT_LIMIT, PUBLISHED_LIMITS } from './limiter/upstream-limits.js';
export { RdapClient, type RdapLimits } from './rdap/rdap-client.js';
export * from './record.js';
export {
  certaintyOf,
  type ReadingCertainty,
  type TldCertainty,
} from './registries/reading-certainty.js';
export { deriveTables, refuseSuspicious, tablesText } from './registries/derivation.js';
export { registryChanges } from './registries/registry-changes.js';
export { Registries, type RegistryTables, type Route } from './registries/registries.js';
export { countInformational } from './safe-connect/answer-limits.js';
export { isBlockedAddress } from './safe-connect/blocked-addresses.js';
export {
  CertificateAuthority,
  type CertificateTerms,
  type IssuedCertificate,
} from './safe-connect/certificate-authority.js';
export { ConnectionError, type ConnectionFault } from './safe-connect/connection-error.js';
export type { ConnectPurpose } from './safe-connect/purposes.js';
export {
  SafeConnector,
  type ConnectLimits,
  type SafeConnectorOptions,
} from './safe-connect/safe-connector.js';
export {
  parseUpstreamExceptions,
  type UpstreamException,
} from './safe-connect/upstream-exceptions.js';
export { WayOut } from './safe-connect/way-out.js';
export { readCountry } from './whois/parse/fields/countries.js';
export { parseDate } from './whois/parse/fields/dates.js';
export { isEmptyValue, isNamibia, isWithheld } from './whois/parse/fields/placeholders.js';
export { Port43Client, type Port43Answer, type Port43Limits } from './whois/port43.js';
export { queryLine } from './whois/query-forms.js';
export { parseWhois, type ParseContext, type ParseResult } from './whois/parse/parse-whois.js';
