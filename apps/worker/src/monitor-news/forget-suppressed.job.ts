import { Injectable } from '@nestjs/common';
import { SUPPRESSED_NAMES_MAX } from '#libs/contracts';
import { Database } from '#libs/database';
import { FIRST_ID, type Job } from '#libs/platform';
import { FeedCursorsService } from '../feed-cursors/feed-cursors.service.js';
import { ServiceClients } from '../service-clients.js';
import { DigestsMaintenanceRepository } from './digests-maintenance.repository.js';

const READER = 'suppressed domains';

/**
 * Removes events about suppressed domains, twice after each suppression, because an event that was being processed when
 * its name was suppressed may be stored after the first removal.
 */
@Injectable()
export class ForgetSuppressedJob implements Job {
  readonly name = 'forget-suppressed-names';

  constructor(
    private readonly database: Database,
    private readonly rows: DigestsMaintenanceRepository,
    private readonly cursors: FeedCursorsService,
    private readonly clients: ServiceClients,
  ) {}

  async runOnce(): Promise<void> {
    const { domains: version } = await this.clients.corpus.suppressionVersion();
    if (version === 0) return;
    const [first, second] = [`${version}`, `${version} twice`];
    const seen = await this.cursors.find(this.database, READER);
    if (seen === second) return;
    for (const source of ['events', 'deliveries'] as const) await this.forgetIn(source);
    await this.cursors.put(this.database, READER, seen === first ? second : first);
  }

  private async forgetIn(source: 'events' | 'deliveries'): Promise<void> {
    const limit = SUPPRESSED_NAMES_MAX;
    for (let after = FIRST_ID; ;) {
      const page = await this.rows.listNames(this.database, source, { after, limit });
      const names = [...new Set(page.flatMap((row) => row.names))];
      const gone = new Set<string>();
      for (let from = 0; from < names.length; from += limit) {
        const suppressed = await this.clients.suppressedOf(names.slice(from, from + limit));
        for (const name of suppressed) gone.add(name);
      }
      const held = page.filter((row) => row.names.some((name) => gone.has(name)));
      const ids = held.map(({ id }) => id);
      if (ids.length > 0) {
        await this.database.transaction((transaction) =>
          this.rows.deleteNamed(transaction, ids, [...gone]),
        );
      }
      if (page.length < limit) return;
      after = page.at(-1)!.id;
    }
  }
}
