import { Controller, Get, Header } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardSettings } from '../dashboard-settings.js';

/** Serves the description of the dashboard's calls, as the API does at `/openapi.json`. */
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
