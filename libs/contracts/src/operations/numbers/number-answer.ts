import { IsBoolean, IsEmail, IsIn, IsOptional, IsString } from 'class-validator';
import { IsCount, Nested, NestedList, OptionalText } from '../../members.js';
import { AnswerProvenance } from '../whois/whois-provenance.js';

export const NUMBER_REGISTRIES = ['afrinic', 'apnic', 'arin', 'lacnic', 'ripe'] as const;

/** A contact of an address block. */
export class NumberContact {
  @OptionalText()
  handle?: string;

  @OptionalText()
  name?: string;

  @OptionalText()
  company?: string;

  @OptionalText()
  street?: string;

  @OptionalText()
  city?: string;

  @OptionalText()
  state?: string;

  @OptionalText()
  zip_code?: string;

  @OptionalText()
  country_code?: string;

  @IsString({ each: true })
  email: string[];

  @IsString({ each: true })
  phone: string[];
}

/** Where to report abuse, and the source of that address. */
export class AbuseAddress {
  @IsEmail()
  email: string;

  @IsString()
  found_in: string;
}

class NumberAnswer {
  @IsBoolean()
  status: boolean;

  /** `YYYY-MM-DD HH:mm:ss`, UTC. */
  @IsString()
  query_time: string;

  @IsOptional()
  @IsIn(NUMBER_REGISTRIES)
  registry?: string;

  /** The URL of the RDAP service or the host on port 43 that answered. */
  @OptionalText()
  whois_server?: string;

  /** Whether the registry has assigned the block or number. */
  @IsIn(['yes', 'no'])
  allocated: 'yes' | 'no';

  @IsOptional()
  @Nested(() => NumberContact)
  organization?: NumberContact;

  @IsOptional()
  @NestedList(() => NumberContact)
  administrative_contacts?: NumberContact[];

  @IsOptional()
  @NestedList(() => NumberContact)
  technical_contacts?: NumberContact[];

  @IsOptional()
  @NestedList(() => AbuseAddress)
  abuse_contacts?: AbuseAddress[];

  /** The registry's answer, unchanged: JSON from RDAP, or text from port 43. */
  @OptionalText()
  whois_raw_response?: string;

  @IsOptional()
  @Nested(() => AnswerProvenance)
  provenance?: AnswerProvenance;
}

/** A block of addresses as published by its registry. */
export class AddressBlockData {
  @IsString()
  start_ip: string;

  @IsString()
  end_ip: string;

  @IsString({ each: true })
  cidr: string[];

  @OptionalText()
  net_name?: string;

  @OptionalText()
  net_handle?: string;

  @OptionalText()
  parent_handle?: string;

  /** The kind of allocation in the registry's own terms, such as `ALLOCATED PA`. */
  @OptionalText()
  type?: string;

  @IsString({ each: true })
  description: string[];

  @OptionalText()
  country_code?: string;

  /** URL of a file with the locations of the block's addresses (RFC 8805). */
  @OptionalText()
  geofeed?: string;

  @OptionalText()
  date_created?: string;

  @OptionalText()
  date_updated?: string;
}

/** The announced prefix that contains an address, from a routing feed of the installation. */
export class PrefixRouting {
  @IsBoolean()
  is_loaded: boolean;

  @OptionalText()
  reason?: string;

  /** The most specific announced prefix; absent if there is none. */
  @OptionalText()
  prefix?: string;

  @OptionalText({ each: true })
  origin_as_numbers?: string[];
}

/** The network that connects an address to the internet. */
export class NetworkProvider {
  @IsString()
  name: string;

  /** The origin AS number, if its registration names the provider. */
  @OptionalText()
  as_number?: string;

  /** The registration that names the provider: of the origin AS number or, if that names none, of the block. */
  @IsIn(['as_registration', 'block_registration'])
  found_in: 'as_registration' | 'block_registration';
}

/** Registration data of an address or a block. */
export class IpWhoisAnswer extends NumberAnswer {
  /** The requested address or block, in canonical form. */
  @IsString()
  ip_address: string;

  /** The most specific block that the registry has assigned; empty if it is unassigned. */
  @NestedList(() => AddressBlockData)
  inet_nums: AddressBlockData[];

  /** AS numbers that the registry names as origins, otherwise the origins in the routing feed. */
  @IsString({ each: true })
  origin_as_numbers: string[];

  /** The source of the origins; absent if there is none. */
  @IsOptional()
  @IsIn(['registry', 'routing_feed'])
  origin_as_from?: 'registry' | 'routing_feed';

  @Nested(() => PrefixRouting)
  routing: PrefixRouting;

  @IsOptional()
  @Nested(() => NetworkProvider)
  isp?: NetworkProvider;
}

/** A range of AS numbers that were assigned together. */
export class AsnBlock {
  @IsString()
  start_as: string;

  @IsString()
  end_as: string;
}

/** Whether routes and peers are known, the reason if they are not, and the numbers of routes and relations. */
export class RoutingCoverage {
  @IsBoolean()
  is_loaded: boolean;

  @OptionalText()
  reason?: string;

  @IsOptional()
  @IsCount()
  route_count?: number;

  @IsOptional()
  @IsCount()
  relation_count?: number;
}

/** Whether the holder's address blocks are known, the reason if they are not, and their number. */
export class AllocationCoverage {
  @IsBoolean()
  is_loaded: boolean;

  @OptionalText()
  reason?: string;

  @IsOptional()
  @IsCount()
  block_count?: number;
}

/** Registration data of an AS number. */
export class AsnWhoisAnswer extends NumberAnswer {
  @IsString()
  as_number: string;

  @OptionalText()
  as_name?: string;

  @OptionalText()
  as_handle?: string;

  @OptionalText()
  country_code?: string;

  @OptionalText()
  date_created?: string;

  @OptionalText()
  date_updated?: string;

  @IsString({ each: true })
  description: string[];

  @NestedList(() => AsnBlock)
  allocation_blocks: AsnBlock[];

  /** Whether the holder's address blocks are known, from files of the regional registries. */
  @Nested(() => AllocationCoverage)
  allocations: AllocationCoverage;

  /** At most 1,000 address blocks that the registry has assigned to the holder of the number. */
  @OptionalText({ each: true })
  address_blocks?: string[];

  /**
   * Whether routes and relations are known. They come from a feed of the installation, because registries do not
   * publish them.
   */
  @Nested(() => RoutingCoverage)
  routing: RoutingCoverage;

  /** At most 1,000 prefixes that the AS number originates. */
  @OptionalText({ each: true })
  routes?: string[];

  /** At most 1,000 AS numbers from which this AS number buys transit. */
  @OptionalText({ each: true })
  upstreams?: string[];

  /** At most 1,000 AS numbers that buy transit from this AS number. */
  @OptionalText({ each: true })
  downstreams?: string[];

  /** At most 1,000 AS numbers that this AS number peers with. */
  @OptionalText({ each: true })
  peers?: string[];
}
