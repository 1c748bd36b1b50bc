import { Controller, Get } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { type TldList, TldsService } from './tlds.service.js';

@Controller('/internal/tlds')
@AllowCallers('gateway')
export class TldsController {
  constructor(private readonly tlds: TldsService) {}

  @Get()
  list(): TldList {
    return this.tlds.list();
  }
}
