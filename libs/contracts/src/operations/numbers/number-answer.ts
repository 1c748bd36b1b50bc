import { Type } from 'class-transformer';
import {
  IsBoolean,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  Min,
  ValidateNested,
} from 'class-validator';
import { AnswerProvenance } from '../whois/whois-provenance.js';

export const NUMBER_REGISTRIES = ['afrinic', 'apnic', 'arin', 'lacnic', 'ripe'] as const;

/** A contact of an address block. */
export class NumberContact {
  @IsOptional()
  @IsString()
  handle?: string;

  @IsOptional()
  @IsString()
  name?: string;

  @IsOptional()
  @IsString()
  company?: string;

  @IsOptional()
  @IsString()
  street?: string;

  @IsOptional()
  @IsString()
  city?: string;

  @IsOptional()
  @IsString()
  state?: string;

  @IsOptional()
  @IsString()
  zip_code?: string;

  @IsOptional()
  @IsString()
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

  /** The host or address that answered. */
  @IsOptional()
  @IsString()
  whois_server?: string;

  /** Whether the registry has assigned the block or number. */
  @IsIn(['yes', 'no'])
  allocated: 'yes' | 'no';

  @IsOptional()
  @ValidateNested()
  @Type(() => NumberContact)
  organization?: NumberContact;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => NumberContact)
  administrative_contacts?: NumberContact[];

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => NumberContact)
  technical_contacts?: NumberContact[];

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => AbuseAddress)
  abuse_contacts?: AbuseAddress[];

  /** The raw text from port 43, if port 43 was queried. */
  @IsOptional()
  @IsString()
  whois_raw_response?: string;

  @IsOptional()
  @ValidateNested()
  @Type(() => AnswerProvenance)
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

  @IsOptional()
  @IsString()
  net_name?: string;

  @IsOptional()
  @IsString()
  net_handle?: string;

  @IsOptional()
  @IsString()
  parent_handle?: string;

  /** The kind of allocation in the registry's own terms, such as `ALLOCATED PA`. */
  @IsOptional()
  @IsString()
  type?: string;

  @IsString({ each: true })
  description: string[];

  @IsOptional()
  @IsString()
  country_code?: string;

  /** URL of a file with the locations of the block's addresses (RFC 8805). */
  @IsOptional()
  @IsString()
  geofeed?: string;

  @IsOptional()
  @IsString()
  date_created?: string;

  @IsOptional()
  @IsString()
  date_updated?: string;
}

/** The announced prefix that contains an address, from a routing feed of the installation. */
export class PrefixRouting {
  @IsBoolean()
  is_loaded: boolean;

  @IsOptional()
  @IsString()
  reason?: string;

  /** The most specific announced prefix; absent if there is none. */
  @IsOptional()
  @IsString()
  prefix?: string;

  @IsOptional()
  @IsString({ each: true })
  origin_as_numbers?: string[];
}

/** The network that connects an address to the internet. */
export class NetworkProvider {
  @IsString()
  name: string;

  /** The origin AS number, if its registration names the provider. */
  @IsOptional()
  @IsString()
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
  @ValidateNested({ each: true })
  @Type(() => AddressBlockData)
  inet_nums: AddressBlockData[];

  /** AS numbers that the registry names as origins, otherwise the origins in the routing feed. */
  @IsString({ each: true })
  origin_as_numbers: string[];

  /** The source of the origins; absent if there is none. */
  @IsOptional()
  @IsIn(['registry', 'routing_feed'])
  origin_as_from?: 'registry' | 'routing_feed';

  @ValidateNested()
  @Type(() => PrefixRouting)
  routing: PrefixRouting;

  @IsOptional()
  @ValidateNested()
  @Type(() => NetworkProvider)
  isp?: NetworkProvider;
}

/** A range of AS numbers that were assigned together. */
export class AsnBlock {
  @IsString()
  start_as: string;

  @IsString()
  end_as: string;
}

/** Whether routes and peers are known. */
export class RoutingCoverage {
  @IsBoolean()
  is_loaded: boolean;

  @IsOptional()
  @IsString()
  reason?: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  route_count?: number;

  @IsOptional()
  @IsInt()
  @Min(0)
  relation_count?: number;
}

/** Whether the holder's address blocks are known. */
export class AllocationCoverage {
  @IsBoolean()
  is_loaded: boolean;

  @IsOptional()
  @IsString()
  reason?: string;

  @IsOptional()
  @IsInt()
  @Min(0)
  block_count?: number;
}

/** Registration data of an AS number. */
export class AsnWhoisAnswer extends NumberAnswer {
  @IsString()
  as_number: string;

  @IsOptional()
  @IsString()
  as_name?: string;

  @IsOptional()
  @IsString()
  as_handle?: string;

  @IsOptional()
  @IsString()
  country_code?: string;

  @IsOptional()
  @IsString()
  date_created?: string;

  @IsOptional()
  @IsString()
  date_updated?: string;

  @IsString({ each: true })
  description: string[];

  @ValidateNested({ each: true })
  @Type(() => AsnBlock)
  allocation_blocks: AsnBlock[];

  /** Whether the holder's address blocks are known, from files of the regional registries. */
  @ValidateNested()
  @Type(() => AllocationCoverage)
  allocations: AllocationCoverage;

  /** At most 1,000 address blocks that the registry has assigned to the holder of the number. */
  @IsOptional()
  @IsString({ each: true })
  address_blocks?: string[];

  /**
   * Whether routes and relations are known. They come from a feed of the installation, because registries do not
   * publish them.
   */
  @ValidateNested()
  @Type(() => RoutingCoverage)
  routing: RoutingCoverage;

  /** At most 1,000 prefixes that the AS number originates. */
  @IsOptional()
  @IsString({ each: true })
  routes?: string[];

  /** At most 1,000 AS numbers from which this AS number buys transit. */
  @IsOptional()
  @IsString({ each: true })
  upstreams?: string[];

  /** At most 1,000 AS numbers that buy transit from this AS number. */
  @IsOptional()
  @IsString({ each: true })
  downstreams?: string[];

  /** At most 1,000 AS numbers that this AS number peers with. */
  @IsOptional()
  @IsString({ each: true })
  peers?: string[];
}
