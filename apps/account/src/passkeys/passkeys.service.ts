import { Injectable } from '@nestjs/common';
import type { ListedPasskey } from '#libs/contracts';
import type { Transaction } from '#libs/database';
import { Clock, newId } from '#libs/platform';
import { AccountConfig } from '../account.config.js';
import type { Actor } from '../audit/actor.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { PersonalDataService } from '../personal-data/personal-data.service.js';
import { type PasskeyChange, passkeyMail } from './passkey-mail.js';
import type { Passkey } from './passkey.entity.js';
import { PasskeyRefused, TooManyPasskeys } from './passkeys.errors.js';
import {
  type FoundPasskey,
  PasskeysByCredentialMaintenanceRepository,
  PasskeysRepository,
} from './passkeys.repository.js';
import {
  type NewCredential,
  type RelyingParty,
  credentialIdOf,
  relyingPartyOf,
  verifyUse,
} from './webauthn.js';

const PASSKEYS_MAX = 10;

type Person = Pick<Actor, 'accountId' | 'personId'>;

/** A passkey that signed a challenge, with its signature counter. */
export interface ProvenPasskey extends FoundPasskey {
  newCounter: number;
}

/** Manages the passkeys that people log in with. The owner is notified of each change, except a new name. */
@Injectable()
export class PasskeysService {
  constructor(
    private readonly passkeys: PasskeysRepository,
    private readonly byCredential: PasskeysByCredentialMaintenanceRepository,
    private readonly personalData: PersonalDataService,
    private readonly mail: OwnerMailService,
    private readonly clock: Clock,
    private readonly config: AccountConfig,
  ) {}

  get party(): RelyingParty {
    return relyingPartyOf(this.config.dashboardUrl);
  }

  async list(transaction: Transaction, { accountId }: Person): Promise<ListedPasskey[]> {
    const listed: ListedPasskey[] = [];
    for (const passkey of await this.passkeys.list(transaction, accountId)) {
      const name = await this.personalData.decrypt<string>(transaction, accountId, passkey.name);
      listed.push(answerOf(passkey, name));
    }
    return listed;
  }

  /**
   * Lists the ids of the account's passkeys, so that an authenticator does not create a second passkey for the account.
   * @throws TooManyPasskeys if there is no room for another passkey.
   */
  async known(transaction: Transaction, { accountId }: Person): Promise<Buffer[]> {
    const all = await this.passkeys.list(transaction, accountId);
    if (all.length >= PASSKEYS_MAX) throw new TooManyPasskeys(PASSKEYS_MAX);
    return all.map(({ credentialId }) => credentialId);
  }

  /**
   * Adds a passkey, under the account's lock, and tells the owner by e-mail.
   * @throws TooManyPasskeys; PasskeyRefused if the passkey is already registered.
   */
  async add(
    transaction: Transaction,
    person: Person,
    { name, ...credential }: NewCredential & { name: string },
  ): Promise<ListedPasskey> {
    const { accountId, personId } = person;
    await this.known(transaction, person);
    const passkey: Passkey = {
      id: newId(),
      accountId,
      personId,
      ...credential,
      counter: String(credential.counter),
      name: await this.personalData.encrypt(transaction, accountId, name),
      createdAt: this.clock.now(),
      lastUsedAt: null,
    };
    if (!(await this.passkeys.insert(transaction, passkey))) throw new PasskeyRefused();
    await this.tell(transaction, accountId, 'added', name);
    return answerOf(passkey, name);
  }

  /** Renames a passkey, under the account's lock. @returns undefined if there is no such passkey. */
  async rename(
    transaction: Transaction,
    accountId: string,
    { id, name }: { id: string; name: string },
  ): Promise<ListedPasskey | undefined> {
    const passkey = await this.passkeys.find(transaction, accountId, id);
    if (!passkey) return undefined;
    passkey.name = await this.personalData.encrypt(transaction, accountId, name);
    await this.passkeys.rename(transaction, passkey);
    return answerOf(passkey, name);
  }

  /**
   * Finds the owner of the passkey that signed the challenge. The caller compares the counters. @throws PasskeyRefused.
   */
  async prove(challenge: string, credential: string): Promise<ProvenPasskey> {
    const found = await this.byCredential.find(await credentialIdOf(credential));
    if (!found) throw new PasskeyRefused(new Error('no account has this passkey'));
    return { ...found, newCounter: await verifyUse(this.party, challenge, credential, found) };
  }

  /**
   * Records a log-in and the new counter, under the account's lock. @throws PasskeyRefused if the passkey was removed
   * or its counter changed in the meantime.
   */
  async noteUsed(
    transaction: Transaction,
    { accountId, id, newCounter: counter }: ProvenPasskey,
  ): Promise<void> {
    const used = { id, counter, lastUsedAt: this.clock.now() };
    if (!(await this.passkeys.noteUsed(transaction, accountId, used))) throw new PasskeyRefused();
  }

  /** Notifies the owner that a passkey may have been copied; does nothing if it was removed in the meantime. */
  async warn(
    transaction: Transaction,
    { accountId, id }: Pick<ProvenPasskey, 'accountId' | 'id'>,
  ): Promise<void> {
    const name = await this.nameOf(transaction, accountId, id);
    if (name !== undefined) await this.tell(transaction, accountId, 'copied', name);
  }

  /** Removes a passkey and tells the owner by e-mail. @returns false if there is no such passkey. */
  async remove(transaction: Transaction, accountId: string, id: string): Promise<boolean> {
    const name = await this.nameOf(transaction, accountId, id);
    if (name === undefined) return false;
    await this.passkeys.delete(transaction, accountId, id);
    await this.tell(transaction, accountId, 'removed', name);
    return true;
  }

  /** Removes all passkeys and notifies the owner once. */
  async removeAll(transaction: Transaction, accountId: string): Promise<void> {
    const count = await this.passkeys.deleteAll(transaction, accountId);
    if (count > 0) await this.tell(transaction, accountId, 'all-removed');
  }

  /** Deletes the passkeys as part of the account's erasure. */
  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.passkeys.deleteAll(transaction, accountId);
  }

  private async nameOf(
    transaction: Transaction,
    accountId: string,
    id: string,
  ): Promise<string | undefined> {
    const passkey = await this.passkeys.find(transaction, accountId, id);
    if (!passkey) return undefined;
    return this.personalData.decrypt<string>(transaction, accountId, passkey.name);
  }

  private async tell(
    transaction: Transaction,
    accountId: string,
    change: PasskeyChange,
    name?: string,
  ): Promise<void> {
    await this.mail.send(transaction, accountId, passkeyMail(change, name));
  }
}

const answerOf = ({ id, createdAt, lastUsedAt }: Passkey, name: string): ListedPasskey => ({
  id,
  name,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
});
