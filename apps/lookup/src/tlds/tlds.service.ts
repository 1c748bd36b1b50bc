import { Injectable } from '@nestjs/common';
import { Clock } from '#libs/platform';
import { Registries, type Route } from '#libs/resolvers';

/** Which protocol answers for a top-level domain, or why none does. */
export interface TldCoverage {
  tld: string;
  protocols: ('rdap' | 'whois43')[];
  rdap_server?: string;
  whois_server?: string;
  reason?: string;
}

export interface TldList {
  status: true;
  counts: { tlds: number; rdap: number; whois: number; unsupported: number };
  /** Age of the tables in days. */
  tables: { rdap_days: number; whois_days: number };
  tlds: TldCoverage[];
}

/** States the coverage from the tables that lookups are routed by, so the two cannot differ. */
@Injectable()
export class TldsService {
  constructor(
    private readonly registries: Registries,
    private readonly clock: Clock,
  ) {}

  list(): TldList {
    const { rdapDays, whoisDays } = this.registries.age(this.clock.now());
    return {
      status: true,
      counts: this.registries.coverage(),
      tables: { rdap_days: rdapDays, whois_days: whoisDays },
      tlds: this.registries.routes().map(coverageOf),
    };
  }
}

function coverageOf({ tld, rdapBaseUrl, whoisServer, reason }: Route): TldCoverage {
  return {
    tld,
    protocols: [
      ...(rdapBaseUrl ? ['rdap' as const] : []),
      ...(whoisServer ? ['whois43' as const] : []),
    ],
    ...(rdapBaseUrl && { rdap_server: rdapBaseUrl }),
    ...(whoisServer && { whois_server: whoisServer }),
    ...(reason && { reason }),
  };
}
