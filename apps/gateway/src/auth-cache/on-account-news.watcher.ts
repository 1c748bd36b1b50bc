import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import {
  AccountDeleted,
  AccountErased,
  AccountRestored,
  AccountSuspensionChanged,
  AllowanceChanged,
  ApiKeyChanged,
  type EventEnvelope,
} from '#libs/contracts';
import { Watches } from '#libs/messaging';
import { AuthCache } from './auth-cache.js';

/** These events only shorten the delay: the change feed names the same account within a second. */
@Controller()
export class OnAccountNewsWatcher {
  constructor(private readonly authCache: AuthCache) {}

  @Watches(ApiKeyChanged)
  async onApiKeyChanged(@Payload() event: EventEnvelope<ApiKeyChanged>): Promise<void> {
    this.authCache.drop(event.key);
  }

  @Watches(AccountDeleted)
  async onAccountDeleted(@Payload() event: EventEnvelope<AccountDeleted>): Promise<void> {
    this.authCache.drop(event.key);
  }

  @Watches(AccountRestored)
  async onAccountRestored(@Payload() event: EventEnvelope<AccountRestored>): Promise<void> {
    this.authCache.drop(event.key);
  }

  @Watches(AccountErased)
  async onAccountErased(@Payload() event: EventEnvelope<AccountErased>): Promise<void> {
    this.authCache.drop(event.key);
  }

  @Watches(AccountSuspensionChanged)
  async onSuspensionChanged(
    @Payload() event: EventEnvelope<AccountSuspensionChanged>,
  ): Promise<void> {
    this.authCache.drop(event.key);
  }

  @Watches(AllowanceChanged)
  async onAllowanceChanged(@Payload() event: EventEnvelope<AllowanceChanged>): Promise<void> {
    this.authCache.drop(event.key);
  }
}
