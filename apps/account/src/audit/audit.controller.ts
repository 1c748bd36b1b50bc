import { Controller, HttpCode, Post } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { AuditService } from './audit.service.js';

@Controller('internal/operator/audit')
@AllowCallers('cli')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Post('verify')
  @HttpCode(200)
  verify() {
    return this.audit.verify();
  }
}
