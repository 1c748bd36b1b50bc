import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Person } from './person.entity.js';

@Injectable()
export class PeopleRepository {
  /** @returns false if another person already has the address. */
  async insert(transaction: Transaction, person: Person): Promise<boolean> {
    const count = await transaction.execute(
      `insert into people (id, account_id, address_hash, details, password_hash, created_at)
       values ($1, $2, $3, $4, $5, $6) on conflict (address_hash) do nothing`,
      [
        person.id,
        person.accountId,
        person.addressHash,
        person.details,
        person.passwordHash,
        person.createdAt,
      ],
    );
    return count === 1;
  }

  async find(
    transaction: Transaction,
    accountId: string,
    personId: string,
  ): Promise<Person | null> {
    return transaction.manager.findOneBy(Person, { accountId, id: personId });
  }

  async list(transaction: Transaction, accountId: string): Promise<Person[]> {
    return transaction.manager
      .createQueryBuilder(Person, 'person')
      .where('person.accountId = :accountId', { accountId })
      .orderBy('person.id')
      .getMany();
  }

  async update(
    transaction: Transaction,
    accountId: string,
    personId: string,
    changes: Partial<Person>,
  ): Promise<void> {
    await transaction.manager.update(Person, { accountId, id: personId }, changes);
  }

  async countWaysIn(
    transaction: Transaction,
    accountId: string,
    personId: string,
  ): Promise<number> {
    const [{ count }] = await transaction.query<{ count: number }>(
      `select ((password_hash is not null)::int
               + (select count(*) from identities where account_id = $1 and person_id = $2)
               + (select count(*) from passkeys where account_id = $1 and person_id = $2))::int
              as count
       from people where account_id = $1 and id = $2`,
      [accountId, personId],
    );
    return count;
  }

  /** Deletes personal data from the rows as part of the account's erasure. */
  async scrub(transaction: Transaction, accountId: string): Promise<void> {
    await transaction.manager.update(
      Person,
      { accountId },
      { addressHash: null, details: null, passwordHash: null },
    );
  }
}
