import { IsBoolean, IsIn, IsInt, IsObject, IsOptional, IsString } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { IsCount, NestedList, OptionalText } from '../../members.js';

export const NAME_RECORD_TYPES = [
  'A',
  'AAAA',
  'NS',
  'MX',
  'TXT',
  'SOA',
  'SPF',
  'CNAME',
  'CAA',
] as const;
export type NameRecordType = (typeof NAME_RECORD_TYPES)[number];

/** A resource record; its type decides which of the optional members it has. */
export class DnsRecordData {
  @IsString()
  name: string;

  @IsIn([...NAME_RECORD_TYPES, 'PTR'])
  type: string;

  @IsInt()
  type_code: number;

  /** Seconds. */
  @IsCount()
  ttl: number;

  /** The record as `dig` writes it. */
  @IsString()
  raw_text: string;

  @OptionalText()
  address?: string;

  /** The target of an NS, CNAME or PTR record. */
  @OptionalText()
  target?: string;

  @IsOptional()
  @IsInt()
  priority?: number;

  @OptionalText()
  exchange?: string;

  /** The strings of a TXT or SPF record. */
  @OptionalText({ each: true })
  strings?: string[];

  @OptionalText()
  mname?: string;

  @OptionalText()
  rname?: string;

  @IsOptional()
  @IsInt()
  serial?: number;

  @IsOptional()
  @IsInt()
  refresh?: number;

  @IsOptional()
  @IsInt()
  retry?: number;

  @IsOptional()
  @IsInt()
  expire?: number;

  @IsOptional()
  @IsInt()
  minimum?: number;

  @IsOptional()
  @IsInt()
  flags?: number;

  @OptionalText()
  tag?: string;

  @OptionalText()
  value?: string;
}

/** DNS records of a name, or names of an address. */
export class DnsAnswer {
  @IsBoolean()
  status: boolean;

  /** A-labels. */
  @OptionalText()
  domain_name?: string;

  @OptionalText()
  ip_address?: string;

  /** `YYYY-MM-DD HH:mm:ss`, UTC. */
  @IsString()
  query_time: string;

  /** `noerror`, or `nxdomain` if the name does not exist. */
  @IsString()
  rcode: string;

  /** True if the resolver has verified the signatures of the whole answer. */
  @IsBoolean()
  authenticated_data: boolean;

  /** Number of records of each type that has any. */
  @IsObject()
  @JSONSchema({ additionalProperties: { type: 'integer' } })
  dns_types: Record<string, number>;

  @NestedList(() => DnsRecordData)
  dns_records: DnsRecordData[];

  /**
   * Why the records of a type are unknown or incomplete: `timeout`, `unreachable`, a response code such as `servfail`,
   * `cname_loop`, `private_address` (addresses left out), `private_name` (an alias leads to a private name) or
   * `too_many_records`.
   */
  @IsObject()
  @JSONSchema({ additionalProperties: { type: 'string' } })
  errors: Record<string, string>;
}
