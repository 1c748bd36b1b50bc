import { Controller, HttpCode, Post } from '@nestjs/common';
import { AllowCallers } from '#libs/platform';
import { FileBuildsService } from './file-builds.service.js';

/** Lets the operator, or an installation that is being filled with data, postpone builds and start them early. */
@Controller('internal/files/runs')
@AllowCallers('cli')
export class FileRunsController {
  constructor(private readonly builds: FileBuildsService) {}

  @Post()
  @HttpCode(202)
  async run(): Promise<object> {
    await this.builds.planNow();
    return {};
  }

  @Post('hold')
  @HttpCode(202)
  async hold(): Promise<object> {
    await this.builds.hold();
    return {};
  }
}
