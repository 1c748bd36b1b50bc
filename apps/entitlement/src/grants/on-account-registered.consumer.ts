import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { AccountRegistered, type EventEnvelope } from '#libs/contracts';
import { Transaction } from '#libs/database';
import { Consumes } from '#libs/messaging';
import { GrantsService } from './grants.service.js';

@Controller()
export class OnAccountRegisteredConsumer {
  constructor(private readonly grants: GrantsService) {}

  @Consumes(AccountRegistered)
  async handle(
    @Payload() { key, data }: EventEnvelope<AccountRegistered>,
    @Ctx() transaction: Transaction,
  ): Promise<void> {
    await this.grants.grantTrial(transaction, key, data.trialClaim);
  }
}
