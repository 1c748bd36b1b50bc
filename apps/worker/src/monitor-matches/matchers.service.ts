import { Injectable } from '@nestjs/common';
import type { MonitorKind } from '#libs/contracts';
import { Database } from '#libs/database';
import type { Found } from '../monitor-news/monitor-news.js';
import { BrandMatcher, soughtName } from './brand-matcher.js';
import { MatchesMaintenanceRepository, type ReadRule } from './matches-maintenance.repository.js';
import { publishedValues } from './published-values.js';
import { RegistrantMatcher } from './registrant-matcher.js';

interface Compiled {
  fingerprint: string;
  brands: readonly ReadRule[];
  brandMatcher: BrandMatcher;
  registrants: readonly ReadRule[];
  registrantMatcher: RegistrantMatcher;
}

/**
 * Compares names and registrations with the rules of all monitors. The rules are compiled again when one of them has
 * changed.
 */
@Injectable()
export class MatchersService {
  private compiled?: Compiled;

  constructor(
    private readonly database: Database,
    private readonly rows: MatchesMaintenanceRepository,
  ) {}

  /**
   * Reads the rules if they have changed. Call this before `matchName` and `matchRecord`.
   * @returns for each kind whether there are any rules.
   */
  async refresh(): Promise<{ hasBrands: boolean; hasRegistrants: boolean }> {
    const fingerprint = await this.rows.fingerprint(this.database);
    if (this.compiled?.fingerprint !== fingerprint) {
      const rules = await this.rows.listRules(this.database);
      const of = (kind: MonitorKind) => rules.filter(({ reader }) => reader.kind === kind);
      const [brands, registrants] = [of('brand'), of('registrant')];
      this.compiled = {
        fingerprint,
        brands,
        brandMatcher: new BrandMatcher(brands.map(({ rule }) => rule)),
        registrants,
        registrantMatcher: new RegistrantMatcher(registrants.map(({ rule }) => rule)),
      };
    }
    const { brands, registrants } = this.compiled;
    return { hasBrands: brands.length > 0, hasRegistrants: registrants.length > 0 };
  }

  /**
   * Returns the findings for a new name. A name that is registered again is reported again. @param changeId the id of
   * the change that made the name new.
   */
  matchName(name: string, unicode: string, changeId: string): Found[] {
    const { brands, brandMatcher } = this.compiled!;
    return brandMatcher.match(soughtName(name, unicode)).map(({ place, reason }) => {
      const { reader, rule } = brands[place];
      const match = { reason, value: rule.keyword! };
      const details = { match };
      return {
        reader,
        news: { type: 'brand.match', domainName: name, fact: `name ${changeId}`, details },
      };
    });
  }

  /** Returns the findings for a registration. A monitor reports a name once. @param record the published data. */
  matchRecord(name: string, record: Readonly<Record<string, unknown>>): Found[] {
    const { registrants, registrantMatcher } = this.compiled!;
    return registrantMatcher.match(name, publishedValues(record)).map(({ place, reason }) => {
      const { reader, rule } = registrants[place];
      // The event omits the published values, because they may have to be hidden later.
      const match = { reason, value: rule[reason]! };
      const details = { match };
      return {
        reader,
        news: {
          type: 'registrant.match',
          domainName: name,
          fact: `registrant of ${name}`,
          details,
        },
      };
    });
  }
}
