import { Injectable } from '@nestjs/common';
import type { Coverage } from '#libs/contracts';
import { Clock, SECOND_MS, monotonicMs } from '#libs/platform';
import { type CoveredSource, CoverageRepository } from './coverage.repository.js';

export const FIXTURE_SOURCE = 'fixtures';

export interface ShownSources {
  ids: number[];
  nameOf: (id: number) => string;
}

@Injectable()
export class CoverageService {
  /** How long the sources are cached, because they rarely change; a spec that changes them sets a shorter time. */
  keptMs = 2 * SECOND_MS;
  private kept?: { untilMs: number; sources: Promise<CoveredSource[]> };

  constructor(
    private readonly repository: CoverageRepository,
    private readonly clock: Clock,
  ) {}

  /**
   * Describes the sources with data that may be shown. @param name if given, the names in its top-level domain are
   * counted.
   */
  async of(name?: string): Promise<Coverage> {
    const sources = (await this.sources()).filter(
      ({ isShown, observations }) => isShown && observations > 0,
    );
    const tld = name?.slice(name.lastIndexOf('.') + 1);
    return {
      has_data: sources.length > 0,
      sources: sources.map(({ name: source, firstAt, updatedAt, observations, isGenerated }) => ({
        source,
        since: firstAt?.toISOString() ?? null,
        updated_at: updatedAt?.toISOString() ?? null,
        records: observations,
        ...(isGenerated && { is_generated: true }),
      })),
      ...(tld !== undefined && { names_in_tld: await this.repository.countNames(tld) }),
    };
  }

  /**
   * Returns the coverage of an answer: that of the fixtures if the answer is for a test key, otherwise the result of
   * `of`.
   */
  async beside(isFixture: boolean, name?: string): Promise<Coverage> {
    return isFixture ? this.ofFixtures(this.clock.now()) : this.of(name);
  }

  async shown(): Promise<ShownSources> {
    const sources = await this.sources();
    const names = new Map(sources.map(({ id, name }) => [id, name]));
    return {
      ids: sources.filter(({ isShown }) => isShown).map(({ id }) => id),
      nameOf: (id) => names.get(id) ?? 'removed',
    };
  }

  private ofFixtures(now: Date): Coverage {
    const updated_at = now.toISOString();
    const source = { source: FIXTURE_SOURCE, since: null, updated_at, records: 1 };
    return { has_data: true, sources: [source] };
  }

  private async sources(): Promise<CoveredSource[]> {
    const now = monotonicMs();
    if (!this.kept || this.kept.untilMs < now) {
      const sources = this.repository.listSources();
      this.kept = { untilMs: now + this.keptMs, sources };
      const forget = () => (this.kept = undefined);
      // The absence of data is not cached: otherwise an answer could say that there is no data just after the first
      // data has arrived.
      const isEmpty = (all: readonly CoveredSource[]) =>
        all.every(({ observations }) => observations === 0);
      sources.then((all) => isEmpty(all) && forget(), forget);
    }
    return this.kept.sources;
  }
}
