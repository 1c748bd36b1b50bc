import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job, forEachInOrder } from '#libs/platform';
import { ServiceClients } from '../service-clients.js';
import { ChecksService } from './checks.service.js';
import { WatchedNamesMaintenanceRepository } from './watched-names-maintenance.repository.js';

const AT_ONCE = 500;

@Injectable()
export class RemindExpiriesJob implements Job {
  readonly name = 'remind-expiries';

  constructor(
    private readonly database: Database,
    private readonly names: WatchedNamesMaintenanceRepository,
    private readonly checks: ChecksService,
    private readonly clients: ServiceClients,
    private readonly clock: Clock,
  ) {}

  /** @throws AggregateError if some reminders could not be stored, after all names were tried. */
  async runOnce(): Promise<void> {
    await forEachInOrder(this.expiringNames(), (name) => this.checks.remind(name));
  }

  private async *expiringNames(): AsyncGenerator<string> {
    const now = this.clock.now();
    for (let after = ''; ;) {
      const names = await this.names.listExpiring(this.database, { after, now, limit: AT_ONCE });
      const gone = await this.clients.suppressedOf(names, () => {});
      yield* names.filter((name) => !gone.has(name));
      if (names.length < AT_ONCE) return;
      after = names.at(-1)!;
    }
  }
}
