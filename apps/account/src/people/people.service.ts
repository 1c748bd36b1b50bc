import { networkOf } from '#libs/platform';
import { createHmac } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type Transaction, sqlStateOf } from '#libs/database';
import { AccountConfig } from '../account.config.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { addressHash, mailboxOf, trialClaim } from './address.js';
import { deviceOf, newDeviceToken } from './device-token.js';
import type { FoundPerson } from './found-person.js';
import { PeopleByAddressMaintenanceRepository } from './people-by-address.repository.js';
import { WrongCredentials } from './people.errors.js';
import { PeopleRepository } from './people.repository.js';
import type { Person } from './person.entity.js';

const UNIQUE_VIOLATION = '23505';

export interface PersonDetails {
  firstName: string;
  address: string;
}

/** Manages the people behind accounts, who are found by the hash of their address. Their details are encrypted. */
@Injectable()
export class PeopleService {
  constructor(
    private readonly people: PeopleRepository,
    private readonly byAddress: PeopleByAddressMaintenanceRepository,
    private readonly personalData: PersonalDataService,
    private readonly config: AccountConfig,
  ) {}

  /**
   * Finds the person with an e-mail address; null if there is none.
   * @param visitorAddress the visitor's IP address; `knowsNetwork` refers to its network.
   */
  async findByAddress(address: string, visitorAddress: string): Promise<FoundPerson | null> {
    const hash = this.addressHash(address);
    return this.byAddress.find(hash, this.networkHash(hash, visitorAddress));
  }

  /** Stores a person. @returns false if another person already has the address. */
  async insert(transaction: Transaction, person: Person): Promise<boolean> {
    return this.people.insert(transaction, person);
  }

  /** Reads and decrypts a person. @throws if the account has no such person, or was erased. */
  async get(
    transaction: Transaction,
    accountId: string,
    personId: string,
  ): Promise<{ person: Person; details: PersonDetails }> {
    const person = await this.people.find(transaction, accountId, personId);
    if (!person?.details) throw new Error(`person ${personId} has no details`);
    const details = await this.personalData.decrypt<PersonDetails>(
      transaction,
      accountId,
      person.details,
    );
    return { person, details };
  }

  /**
   * Returns the account's oldest person, who receives the e-mails about the account.
   * @throws Error if the account has no person, or was erased.
   */
  async getOwner(
    transaction: Transaction,
    accountId: string,
  ): Promise<{ person: Person; details: PersonDetails }> {
    const [owner] = await this.people.list(transaction, accountId);
    if (!owner) throw new Error(`account ${accountId} has nobody`);
    return this.get(transaction, accountId, owner.id);
  }

  /** Returns the details of the account's oldest person; null if the account has none, or was erased. */
  async findOwner(transaction: Transaction, accountId: string): Promise<PersonDetails | null> {
    const [owner] = await this.people.list(transaction, accountId);
    if (!owner?.details) return null;
    return this.personalData.decrypt<PersonDetails>(transaction, accountId, owner.details);
  }

  async setDetails(
    transaction: Transaction,
    accountId: string,
    personId: string,
    details: PersonDetails,
  ): Promise<void> {
    const encrypted = await this.personalData.encrypt(transaction, accountId, details);
    await this.people.update(transaction, accountId, personId, { details: encrypted });
  }

  /** Counts the ways to log in: password, connected providers and passkeys. */
  async countWaysIn(
    transaction: Transaction,
    accountId: string,
    personId: string,
  ): Promise<number> {
    return this.people.countWaysIn(transaction, accountId, personId);
  }

  /** Checks that a person's password has not changed since it was verified. @throws WrongCredentials. */
  async checkPasswordHash(
    transaction: Transaction,
    { accountId, personId }: { accountId: string; personId: string },
    checkedHash: string | null,
  ): Promise<void> {
    const person = await this.people.find(transaction, accountId, personId);
    if (person?.passwordHash !== checkedHash) throw new WrongCredentials();
  }

  /**
   * Changes a person's address. @returns false if another person already has the address; the transaction must then be
   * rolled back.
   */
  async setAddress(
    transaction: Transaction,
    accountId: string,
    personId: string,
    details: PersonDetails,
  ): Promise<boolean> {
    const changes = {
      addressHash: this.addressHash(details.address),
      details: await this.personalData.encrypt(transaction, accountId, details),
    };
    try {
      await this.people.update(transaction, accountId, personId, changes);
      return true;
    } catch (error) {
      if (sqlStateOf(error) === UNIQUE_VIOLATION) return false;
      throw error;
    }
  }

  async update(
    transaction: Transaction,
    accountId: string,
    personId: string,
    changes: Partial<Person>,
  ): Promise<void> {
    await this.people.update(transaction, accountId, personId, changes);
  }

  /**
   * Deletes the people's personal data and destroys the data key, so that everything encrypted for the account becomes
   * unreadable.
   */
  async erase(transaction: Transaction, accountId: string): Promise<void> {
    await this.people.scrub(transaction, accountId);
    await this.personalData.destroyKey(transaction, accountId);
  }

  /** Returns the trial claim of the mailbox behind an address. The claim never changes (S38). */
  trialClaim(address: string): string {
    return trialClaim(address, this.config.addressPepper);
  }

  /** Returns the same canonical form for all addresses that reach one mailbox. */
  mailboxOf(address: string): string {
    return mailboxOf(address);
  }

  /** Creates the token for a browser whose user has just proved ownership of the address. */
  newDeviceToken(address: string): string {
    return newDeviceToken(address, this.config.addressPepper);
  }

  /**
   * Returns the id of a browser that logged in with this address before; undefined for any other
   * token.
   */
  deviceOf(token: string, address: string): string | undefined {
    return deviceOf(token, address, this.config.addressPepper);
  }

  addressHash(address: string): Buffer {
    return addressHash(address, this.config.addressPepper);
  }

  /** Returns a hash of a person's network that does not reveal whether two people share a network. */
  networkHash(personAddressHash: Buffer, visitorAddress: string): Buffer {
    return createHmac('sha256', this.config.addressPepper)
      .update(personAddressHash)
      .update(networkOf(visitorAddress))
      .digest();
  }
}
