import { Injectable } from '@nestjs/common';
import type { ChangeAddressRequest, ConfirmAddressRequest } from '#libs/contracts';
import { AccountsService } from '../accounts/accounts.service.js';
import type { Visitor } from '../audit/actor.js';
import { AuditService } from '../audit/audit.service.js';
import { OwnerMailService } from '../people/owner-mail.service.js';
import { PasswordResetsService } from '../password-resets/password-resets.service.js';
import { PeopleService } from '../people/people.service.js';
import { LinkInvalid } from '../registration/registration.errors.js';
import { alreadyRegisteredMail } from '../registration/registration-mail.js';
import type { ActiveSession } from '../sessions/session-guard.js';
import { AddressChangeLinksService } from '../address-change-links/address-change-links.service.js';
import { addressChangedMail, confirmAddressMail } from './address-mail.js';

/** Changes a person's e-mail address once the person has proved ownership of the new one. */
@Injectable()
export class AddressChangesService {
  constructor(
    private readonly accounts: AccountsService,
    private readonly people: PeopleService,
    private readonly links: AddressChangeLinksService,
    private readonly passwordLinks: PasswordResetsService,
    private readonly mail: OwnerMailService,
    private readonly audit: AuditService,
  ) {}

  /**
   * E-mails a confirmation link to the new address or, if the address already has an account, a notice without one. If
   * too many e-mails were sent to its mailbox lately, nothing is sent, and an older link stays valid. The answer is the
   * same in all cases. @throws TooManyAttempts, NotLoggedIn, AccountIsDeleted, NotFound.
   */
  async request(
    owner: ActiveSession,
    { email: address }: ChangeAddressRequest,
  ): Promise<{ status: 'confirmation_sent' }> {
    const { accountId, personId } = owner;
    const isWithin = await this.links.countRequest(owner, this.people.mailboxOf(address));
    if (!isWithin) return { status: 'confirmation_sent' };
    const holder = await this.people.findByAddress(address, owner.visitor.address);
    return this.accounts.runCommand(accountId, {}, async (transaction) => {
      const token = await this.links.make(transaction, owner, address);
      const { details } = await this.people.get(transaction, accountId, personId);
      const recipient = { ...details, address };
      await this.mail.sendTo(transaction, accountId, recipient, (firstName, dashboardUrl) =>
        holder
          ? alreadyRegisteredMail(dashboardUrl)
          : confirmAddressMail(firstName, dashboardUrl, token),
      );
      const object = `person:${personId}`;
      await this.audit.record(transaction, { by: owner, action: 'address.requested', object });
      return { status: 'confirmation_sent' };
    });
  }

  /**
   * Changes the address, invalidates links that were sent to the old address, and sends a notice to the old address
   * (S32).
   * @throws LinkInvalid, AccountIsDeleted, NotFound.
   */
  async confirm(
    { token }: ConfirmAddressRequest,
    visitor: Visitor,
  ): Promise<{ status: 'address_changed' }> {
    return this.accounts.transaction(async (transaction) => {
      // The account is locked before its link, as in a password reset, which also deletes this link; otherwise, the two
      // could deadlock.
      const accountId = await this.links.accountOf(transaction, token);
      await this.accounts.lockActive(transaction, accountId);
      const { personId, address } = await this.links.take(transaction, token);
      const { details } = await this.people.get(transaction, accountId, personId);
      const changed = { ...details, address };
      const isFree = await this.people.setAddress(transaction, accountId, personId, changed);
      if (!isFree) throw new LinkInvalid();
      // The old mailbox may contain a link for setting a new password.
      await this.passwordLinks.forget(transaction, accountId);
      await this.mail.sendTo(transaction, accountId, details, addressChangedMail);
      await this.audit.record(transaction, {
        by: { accountId, personId, visitor },
        action: 'address.changed',
        object: `person:${personId}`,
        before: details,
        after: changed,
      });
      return { status: 'address_changed' };
    });
  }
}
