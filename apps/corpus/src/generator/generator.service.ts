import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, DAY_MS } from '#libs/platform';
import { ObservationsService, type Recorded } from '../observations/observations.service.js';
import { ClearedNamesService } from '../removals/cleared-names.service.js';
import { SourcesService } from '../sources/sources.service.js';
import { generatedHistory } from './generated-history.js';
import type { GeneratedStretch } from './generator.dto.js';
import { GeneratorRepository } from './generator.repository.js';

/**
 * Generated data is shown, so that people can try the product. It is sold only with `CORPUS_SELL_GENERATED`, and its
 * names are never looked up.
 */
const GENERATED = {
  name: 'generated',
  kind: 'generated',
  isShown: true,
  isSold: false,
  isLookedUp: false,
  isGenerated: true,
} as const;
const CLEARED_AT_A_TIME = 2_000;

@Injectable()
export class GeneratorService {
  constructor(
    private readonly database: Database,
    private readonly sources: SourcesService,
    private readonly observations: ObservationsService,
    private readonly repository: GeneratorRepository,
    private readonly cleared: ClearedNamesService,
    private readonly clock: Clock,
  ) {}

  /**
   * Adds a range of names with their histories up to today, except names of other sources. The same seed and day always
   * give the same names and histories.
   */
  async generate({ from, names, seed }: GeneratedStretch): Promise<Recorded> {
    const now = this.clock.now();
    const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS);
    const generated = Array.from({ length: names }, (_, place) =>
      generatedHistory(from + place, seed, today),
    ).flat();
    return this.database.transaction(async (transaction) => {
      const sourceId = await this.sources.ensure(transaction, GENERATED);
      const given = new Map(generated.map(({ name }) => [name.name, name]));
      const others = await this.repository.listOfOthers(transaction, [...given.values()], sourceId);
      const observations = generated.filter(({ name }) => !others.has(name.name));
      const recorded = await this.observations.recordIn(transaction, observations, sourceId);
      await this.sources.addBatch(transaction, {
        sourceId,
        observedAt: now,
        rows: observations.length,
        ...recorded,
      });
      return recorded;
    });
  }

  /**
   * Removes some generated names and, with the last of them, their source. Names that other sources know keep the data
   * of those sources.
   * @returns the number of removed names; 0 if there were none.
   */
  async clear(): Promise<number> {
    return this.database.transaction(async (transaction) => {
      const sourceId = await this.sources.find(transaction, GENERATED.name);
      if (sourceId === undefined) return 0;
      const names = await this.repository.list(transaction, sourceId, CLEARED_AT_A_TIME);
      await this.cleared.clear(transaction, sourceId, names);
      if (names.length < CLEARED_AT_A_TIME) await this.sources.remove(transaction, sourceId);
      return names.length;
    });
  }
}
