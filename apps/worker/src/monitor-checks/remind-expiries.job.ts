import { Injectable } from '@nestjs/common';
import { Database } from '#libs/database';
import { Clock, type Job } from '#libs/platform';
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

  async runOnce(): Promise<void> {
    const now = this.clock.now();
    for (let after = ''; ;) {
      const names = await this.names.listExpiring(this.database, { after, now, limit: AT_ONCE });
      const gone = await this.clients.suppressedOf(names, () => {});
      for (const name of names) if (!gone.has(name)) await this.checks.remind(name);
      if (names.length < AT_ONCE) return;
      after = names.at(-1)!;
    }
  }
}
