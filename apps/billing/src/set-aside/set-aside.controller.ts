import { Controller, Get } from '@nestjs/common';
import type { SetAsideMoney } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { SetAsideMaintenanceRepository } from './set-aside.repository.js';

@Controller('internal/operator/set-aside')
@AllowCallers('cli')
export class SetAsideController {
  constructor(private readonly setAside: SetAsideMaintenanceRepository) {}

  @Get()
  list(): Promise<SetAsideMoney[]> {
    return this.setAside.list();
  }
}
