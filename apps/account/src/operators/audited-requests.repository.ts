import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import { INSTALLATION } from '../audit/audit-chain.js';

const MATCHES_MAX = 50;

/** Searches all accounts, because the id of a request does not reveal the account. */
@Injectable()
export class AuditedRequestsMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /**
   * Finds the accounts whose audit log names a request, such as a request from the dashboard; at
   * most `MATCHES_MAX`.
   */
  async find(requestId: string): Promise<{ accountId: string; action: string }[]> {
    return this.database.query(
      `select distinct chain as "accountId", action from audit
       where request_id = $1 and chain <> $2 limit $3`,
      [requestId, INSTALLATION, MATCHES_MAX],
    );
  }
}
