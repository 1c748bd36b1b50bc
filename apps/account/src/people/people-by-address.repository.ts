import { Injectable } from '@nestjs/common';
import { MaintenanceDatabase } from '#libs/database';
import type { FoundPerson } from './found-person.js';

/** Finds the owner of an address under the maintenance role, because no account is known yet. */
@Injectable()
export class PeopleByAddressMaintenanceRepository {
  constructor(private readonly database: MaintenanceDatabase) {}

  /**
   * Finds a person; returns null if the address is not registered. Both cases take one statement
   * (S24).
   */
  async find(addressHash: Buffer, networkHash: Buffer): Promise<FoundPerson | null> {
    const [person] = await this.database.query<FoundPerson>(
      `select p.id as "personId", p.account_id as "accountId", p.password_hash as "passwordHash",
              a.taken_back_at as "takenBackAt",
              exists (select from sessions s where s.account_id = p.account_id
                      and s.person_id = p.id and s.network_hash = $2) as "knowsNetwork"
       from people p join accounts a on a.id = p.account_id where p.address_hash = $1`,
      [addressHash, networkHash],
    );
    return person ?? null;
  }
}
