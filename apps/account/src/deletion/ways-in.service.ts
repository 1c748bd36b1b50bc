import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { AddressChangeLinksService } from '../address-change-links/address-change-links.service.js';
import { IdentitiesService } from '../identities/identities.service.js';
import { LogInStepsService } from '../log-in-steps/log-in-steps.service.js';
import { PasskeysService } from '../passkeys/passkeys.service.js';
import { PasswordResetsService } from '../password-resets/password-resets.service.js';
import { SecondFactorsService } from '../second-factor/second-factors.service.js';

/**
 * Deletes everything that people use to log in, except the password: e-mailed links, unfinished log-ins, the second
 * factor, providers and passkeys.
 */
@Injectable()
export class WaysInService {
  constructor(
    private readonly passwordResets: PasswordResetsService,
    private readonly addressChanges: AddressChangeLinksService,
    private readonly logInSteps: LogInStepsService,
    private readonly secondFactors: SecondFactorsService,
    private readonly identities: IdentitiesService,
    private readonly passkeys: PasskeysService,
  ) {}

  async forget(transaction: Transaction, accountId: string): Promise<void> {
    await this.passwordResets.forget(transaction, accountId);
    await this.addressChanges.forget(transaction, accountId);
    await this.logInSteps.forget(transaction, accountId);
    await this.secondFactors.forget(transaction, accountId);
    await this.identities.forget(transaction, accountId);
    await this.passkeys.forget(transaction, accountId);
  }
}
