import { IsBoolean, IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { Nested, NestedList, OptionalText } from '../../members.js';
import { PublishedRegistration, RegistrationFacts } from './published-registration.js';
import { WhoisContact } from './whois-parties.js';
import { WhoisProvenance } from './whois-provenance.js';

const REGISTERED = ['yes', 'no', 'restricted'] as const;
type Registered = (typeof REGISTERED)[number];

/** The registry's own data, before the registrar's answer was merged in. */
export class WhoisRegistryData extends RegistrationFacts {
  @IsString()
  domain_name: string;

  @IsString()
  query_time: string;

  @IsString()
  whois_server: string;

  @IsIn(REGISTERED)
  domain_registered: Registered;

  /** The raw text from port 43. */
  @OptionalText()
  whois_raw_registry?: string;

  /** The same member in version 1, with its original spelling. */
  @OptionalText()
  whois_raw_registery?: string;
}

/** Registration data of a domain name, in the format of version 1. Unpublished members are left out. */
export class WhoisAnswerV1 extends PublishedRegistration {
  @IsBoolean()
  status: boolean;

  /** A-label. */
  @IsString()
  domain_name: string;

  /** `YYYY-MM-DD HH:mm:ss`, UTC. */
  @IsString()
  query_time: string;

  @OptionalText()
  whois_server?: string;

  @IsIn(REGISTERED)
  domain_registered: Registered;

  /** The most detailed raw text from port 43. */
  @OptionalText()
  whois_raw_domain?: string;

  @IsOptional()
  @Nested(() => WhoisRegistryData)
  registry_data?: WhoisRegistryData;
}

/** Exact times, RFC 3339, or a day if only the day is published. */
export class WhoisDates {
  @OptionalText()
  created?: string;

  /** Whether the registry states only that the name was created before that day. */
  @IsOptional()
  @IsBoolean()
  created_is_before?: boolean;

  @OptionalText()
  updated?: string;

  @OptionalText()
  expires?: string;

  @IsBoolean()
  expires_published: boolean;
}

/** A withheld value: `basis` is `rfc9537`, or `text` if the published value itself says so. */
export class WhoisRedaction {
  @IsString()
  path: string;

  @IsIn(['redacted'])
  state: string;

  @IsString()
  basis: string;

  @OptionalText()
  reason?: string;
}

/** Registration data of a domain name. Unpublished members are left out. */
export class WhoisAnswer extends WhoisAnswerV1 {
  @OptionalText()
  domain_unicode?: string;

  /** Why the name cannot be registered: reserved, premium or blocked. */
  @OptionalText()
  restriction?: string;

  @IsOptional()
  @IsBoolean()
  secure_dns?: boolean;

  @OptionalText()
  domain_handle?: string;

  @IsOptional()
  @Nested(() => WhoisDates)
  dates?: WhoisDates;

  @IsOptional()
  @Nested(() => WhoisContact)
  abuse_contact?: WhoisContact;

  /** True if a privacy service replaces the registrant. */
  @IsOptional()
  @IsBoolean()
  privacy_service?: boolean;

  @IsOptional()
  @NestedList(() => WhoisRedaction)
  redaction?: WhoisRedaction[];

  /** With `include=rdap`: the complete answer of each RDAP server, by the id of its source. */
  @IsOptional()
  @IsObject()
  rdap?: Record<string, unknown>;

  @IsOptional()
  @Nested(() => WhoisProvenance)
  provenance?: WhoisProvenance;
}
