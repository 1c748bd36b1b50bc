import {
  type HistoricRecord,
  type HistoricRecordV1,
  type ReverseDomain,
  type ReverseDomainV1,
  registryProtocol,
} from '#libs/contracts';
import type { Members, Registration } from './registration.js';

export interface SeenRecord {
  observedAt: Date;
  lastAt: Date;
  isComplete: boolean;
  record: Registration;
  /** The servers that gave the record, if they are known; see `GivenRecord`. */
  answeredBy?: string;
}

const V1_MEMBERS = [
  'create_date',
  'update_date',
  'expiry_date',
  'domain_registrar',
  'reseller_contact',
  'registrant_contact',
  'administrative_contact',
  'technical_contact',
  'billing_contact',
  'name_servers',
  'domain_status',
] as const;

export interface ToldRecord {
  /** From 1. */
  num: number;
  name: string;
  source: string;
}

/** Returns a record in the format of version 2. */
export function historicRecord(seen: SeenRecord, told: ToldRecord): HistoricRecord {
  const protocol = registryProtocol(seen.answeredBy?.split(',') ?? []);
  return { ...head(seen, told), ...(protocol && { protocol }), ...(seen.record as object) };
}

/** Returns the dates of the record, and the holder of the name. */
export function miniRecord(seen: SeenRecord, told: ToldRecord): ReverseDomain {
  return { ...head(seen, told), ...miniMembers(seen.record) };
}

function miniMembers(record: Registration) {
  const { create_date, update_date, expiry_date } = record as Partial<ReverseDomain>;
  const holder = record.registrant_contact as Members | undefined;
  const { name, email_address: email, company: company_name } = (holder ?? {}) as Holder;
  return { create_date, update_date, expiry_date, name, email, company_name };
}

interface Holder {
  name?: string;
  email_address?: string;
  company?: string;
}

export function historicRecordV1(seen: SeenRecord, told: ToldRecord): HistoricRecordV1 {
  const members = V1_MEMBERS.map((member) => [member, v1Value(seen.record, member)] as const);
  const known = Object.fromEntries(members.filter(([, value]) => value !== undefined));
  return { ...headV1(seen, told), ...known };
}

/** Returns the members of `miniRecord` in the format of version 1. */
export function miniRecordV1(seen: SeenRecord, told: ToldRecord): ReverseDomainV1 {
  return { ...headV1(seen, told), ...miniMembers(seen.record) };
}

function headV1({ observedAt }: SeenRecord, { num, name }: ToldRecord): HistoricRecordV1 {
  return { num, domain_name: name, query_time: queryTime(observedAt) };
}

function head(seen: SeenRecord, told: ToldRecord): HistoricRecord {
  const { observedAt, lastAt, isComplete } = seen;
  return {
    ...headV1(seen, told),
    first_seen: observedAt.toISOString(),
    last_seen: lastAt.toISOString(),
    is_complete: isComplete,
    source: told.source,
  };
}

function v1Value(record: Registration, member: (typeof V1_MEMBERS)[number]): unknown {
  const value = record[member];
  if (typeof value !== 'object' || Array.isArray(value)) return value;
  const { handle: _handle, rdap_server: _server, ...known } = value;
  return known;
}

/** Returns `YYYY-MM-DD HH:mm:ss` in UTC. */
function queryTime(at: Date): string {
  return at.toISOString().slice(0, 19).replace('T', ' ');
}
