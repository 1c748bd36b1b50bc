import { Controller, Param } from '@nestjs/common';
import { SUBSCRIPTION, SUBSCRIPTIONS, Serves } from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { OwnSubscriptionsService } from './own-subscriptions.service.js';

@Controller()
export class SubscriptionsController {
  constructor(private readonly own: OwnSubscriptionsService) {}

  @Serves(SUBSCRIPTIONS)
  list(@AccountId() accountId: string) {
    return this.own.list(accountId);
  }

  @Serves(SUBSCRIPTION)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.own.get(accountId, id);
  }
}
