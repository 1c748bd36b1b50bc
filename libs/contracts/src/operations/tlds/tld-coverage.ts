import { IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import { IsCount, Nested, NestedList, OptionalText } from '../../members.js';

export const COVERAGE_PROTOCOLS = ['rdap', 'whois43'] as const;
export type CoverageProtocol = (typeof COVERAGE_PROTOCOLS)[number];

/**
 * How reliably answers on port 43 are read: measured with a special grammar, measured without one, similar to measured
 * answers, or never seen.
 */
export const WHOIS_READINGS = ['known', 'recorded', 'by_system', 'untested'] as const;
export type WhoisReading = (typeof WHOIS_READINGS)[number];

/** The protocol that answers for a top-level domain, or the reason why there is none. */
export class TldCoverage {
  /** A-label, without a dot. */
  @IsString()
  tld: string;

  /** In the order in which they are queried; empty if there is none. */
  @IsIn(COVERAGE_PROTOCOLS, { each: true })
  protocols: CoverageProtocol[];

  @OptionalText()
  rdap_server?: string;

  @OptionalText()
  whois_server?: string;

  /** Absent if port 43 is not queried. */
  @IsOptional()
  @IsIn(WHOIS_READINGS)
  whois_reading?: WhoisReading;

  /** Why there is no protocol. */
  @OptionalText()
  reason?: string;
}

/** Number of top-level domains. Those with RDAP and port 43 count under both `rdap` and `whois`. */
export class TldCounts {
  @IsCount()
  tlds: number;

  @IsCount()
  rdap: number;

  @IsCount()
  whois: number;

  @IsCount()
  unsupported: number;
}

/** Age of the tables in days. */
export class TldTableAges {
  @IsCount()
  rdap_days: number;

  @IsCount()
  whois_days: number;
}

/** The answer about all top-level domains. */
export class TldList {
  @IsBoolean()
  status: boolean;

  @Nested(() => TldCounts)
  counts: TldCounts;

  @Nested(() => TldTableAges)
  tables: TldTableAges;

  @NestedList(() => TldCoverage)
  tlds: TldCoverage[];
}

/** The answer about one top-level domain. */
export class TldAnswer extends TldCoverage {
  @IsBoolean()
  status: boolean;

  @Nested(() => TldTableAges)
  tables: TldTableAges;
}
