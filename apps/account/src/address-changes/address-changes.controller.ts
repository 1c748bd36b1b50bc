import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { CurrentVisitor, type Visitor } from '../audit/actor.js';
import { type ActiveSession, CurrentSession, RequireSession } from '../sessions/require-session.js';
import { ChangeAddressRequest, ConfirmAddressRequest } from './address-changes.dto.js';
import { AddressChangesService } from './address-changes.service.js';

@Controller('internal/dashboard/account/email')
@AllowCallers('gateway')
export class AddressChangesController {
  constructor(private readonly changes: AddressChangesService) {}

  @Post()
  @HttpCode(202)
  @RequireSession({ recently: true })
  request(@CurrentSession() owner: ActiveSession, @Body() request: ChangeAddressRequest) {
    return this.changes.request(owner, request);
  }

  @Post('confirm')
  @HttpCode(200)
  confirm(@Body() request: ConfirmAddressRequest, @CurrentVisitor() visitor: Visitor) {
    return this.changes.confirm(request, visitor);
  }
}
