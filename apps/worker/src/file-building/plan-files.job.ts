import { Injectable } from '@nestjs/common';
import type { Job } from '#libs/platform';
import { FileBuildsService } from './file-builds.service.js';

@Injectable()
export class PlanFilesJob implements Job {
  readonly name = 'plan-files';

  constructor(private readonly builds: FileBuildsService) {}

  async runOnce(): Promise<void> {
    await this.builds.planDue();
  }
}
