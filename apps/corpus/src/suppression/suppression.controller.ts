import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { SuppressionRequest } from './suppression.dto.js';
import { SuppressionsService } from './suppressions.service.js';

@Controller('internal/suppressions')
@AllowCallers('cli')
export class SuppressionController {
  constructor(private readonly suppressions: SuppressionsService) {}

  @Post()
  @HttpCode(200)
  async suppress(@Body() { kind, value }: SuppressionRequest) {
    return this.suppressions.suppress(kind, value);
  }
}
