import { Body, Controller } from '@nestjs/common';
import {
  ADDRESS_CHANGE,
  ADDRESS_CONFIRM,
  ChangeAddressRequest,
  ConfirmAddressRequest,
} from '#libs/contracts';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { type ActiveSession, CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { LinkAttemptsService } from '../throttling/link-attempts.service.js';
import { AddressChangesService } from './address-changes.service.js';

@Controller()
export class AddressChangesController {
  constructor(
    private readonly attempts: LinkAttemptsService,
    private readonly changes: AddressChangesService,
  ) {}

  @ServesBrowser(ADDRESS_CHANGE)
  request(@CurrentSession() owner: ActiveSession, @Body() request: ChangeAddressRequest) {
    return this.changes.request(owner, request);
  }

  @ServesBrowser(ADDRESS_CONFIRM)
  confirm(@Body() request: ConfirmAddressRequest, @CurrentVisitor() visitor: Visitor) {
    return this.attempts.count(visitor, () => this.changes.confirm(request, visitor));
  }
}
