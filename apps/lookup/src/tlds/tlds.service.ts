import { Injectable } from '@nestjs/common';
import type { TldAnswer, TldCoverage, TldList } from '#libs/contracts';
import { toALabels } from '#libs/domain-names';
import { Clock, NotFound } from '#libs/platform';
import { Registries, type Route, certaintyOf } from '#libs/resolvers';

const NO_SUCH_TLD = 'There is no such top-level domain. `GET /v2.0/tlds` lists them all.';

/**
 * Lists the protocols that each TLD supports, from the same tables that route lookups, so that the
 * two cannot differ.
 */
@Injectable()
export class TldsService {
  /** Created once, because that takes 50 ms and the tables do not change. */
  private tlds?: TldCoverage[];

  constructor(
    private readonly registries: Registries,
    private readonly clock: Clock,
  ) {}

  list(): TldList {
    this.tlds ??= this.registries.routes().map(coverageOf);
    return {
      status: true,
      counts: this.registries.coverage(),
      tables: this.tableAges(),
      tlds: this.tlds,
    };
  }

  /**
   * Returns the coverage of one top-level domain. @param tld in any script and spelling.
   * @throws NotFound if there is no such top-level domain.
   */
  one(tld: string): TldAnswer {
    const route = this.registries.routeOf(toALabels(tld.toLowerCase()));
    if (route === undefined) throw new NotFound(NO_SUCH_TLD);
    return { status: true, ...coverageOf(route), tables: this.tableAges() };
  }

  private tableAges() {
    const { rdapDays, whoisDays } = this.registries.age(this.clock.now());
    return { rdap_days: rdapDays, whois_days: whoisDays };
  }
}

function coverageOf(route: Route): TldCoverage {
  const { tld, rdapBaseUrl, whoisServer, reason } = route;
  const { whoisReading } = certaintyOf(route);
  return {
    tld,
    protocols: [
      ...(rdapBaseUrl ? ['rdap' as const] : []),
      ...(whoisServer ? ['whois43' as const] : []),
    ],
    ...(rdapBaseUrl && { rdap_server: rdapBaseUrl }),
    ...(whoisServer && { whois_server: whoisServer }),
    ...(whoisReading && { whois_reading: whoisReading }),
    ...(reason && { reason }),
  };
}
