import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { VerifyAuditRequest } from './audit-check.dto.js';
import { AuditCheckService } from './audit-check.service.js';

@Controller('internal/operator/audit')
@AllowCallers('cli')
export class AuditCheckController {
  constructor(private readonly audit: AuditCheckService) {}

  @Post('verify')
  @HttpCode(200)
  verify(@Body() request: VerifyAuditRequest) {
    return this.audit.verify(request.anchors);
  }
}
