import { Controller, Get, Header } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardSettings } from '../dashboard-settings.js';

/** The description of the dashboard's calls, as `/openapi.json` is that of the API. */
@Controller('api/openapi.json')
@AllowVisitors('anyone')
export class CallDocsController {
  constructor(private readonly settings: DashboardSettings) {}

  @Get()
  @Header('content-type', 'application/json; charset=utf-8')
  describe() {
    return this.settings.description;
  }
}
