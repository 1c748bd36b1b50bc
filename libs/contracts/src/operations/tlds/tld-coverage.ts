import { Type } from 'class-transformer';
import { IsBoolean, IsIn, IsInt, IsOptional, IsString, Min, ValidateNested } from 'class-validator';

export const COVERAGE_PROTOCOLS = ['rdap', 'whois43'] as const;
export type CoverageProtocol = (typeof COVERAGE_PROTOCOLS)[number];

/** How sure answers of port 43 are read: measured with a grammar of their own, measured, like others that are, never seen. */
export const WHOIS_READINGS = ['known', 'recorded', 'by_system', 'untested'] as const;
export type WhoisReading = (typeof WHOIS_READINGS)[number];

/** The protocol that answers for a top-level domain, or the reason why none does. */
export class TldCoverage {
  /** A-label, without a dot. */
  @IsString()
  tld: string;

  /** In the order in which they are asked; empty where nobody answers. */
  @IsIn(COVERAGE_PROTOCOLS, { each: true })
  protocols: CoverageProtocol[];

  @IsOptional()
  @IsString()
  rdap_server?: string;

  @IsOptional()
  @IsString()
  whois_server?: string;

  /** Absent where port 43 is not asked. */
  @IsOptional()
  @IsIn(WHOIS_READINGS)
  whois_reading?: WhoisReading;

  /** Why nobody answers. */
  @IsOptional()
  @IsString()
  reason?: string;
}

/** How many top-level domains there are, by who answers first. */
export class TldCounts {
  @IsInt()
  @Min(0)
  tlds: number;

  @IsInt()
  @Min(0)
  rdap: number;

  @IsInt()
  @Min(0)
  whois: number;

  @IsInt()
  @Min(0)
  unsupported: number;
}

/** Age of the tables in days. */
export class TldTableAges {
  @IsInt()
  @Min(0)
  rdap_days: number;

  @IsInt()
  @Min(0)
  whois_days: number;
}

/** Every top-level domain. */
export class TldList {
  @IsBoolean()
  status: boolean;

  @ValidateNested()
  @Type(() => TldCounts)
  counts: TldCounts;

  @ValidateNested()
  @Type(() => TldTableAges)
  tables: TldTableAges;

  @ValidateNested({ each: true })
  @Type(() => TldCoverage)
  tlds: TldCoverage[];
}

/** One top-level domain. */
export class TldAnswer extends TldCoverage {
  @IsBoolean()
  status: boolean;

  @ValidateNested()
  @Type(() => TldTableAges)
  tables: TldTableAges;
}
