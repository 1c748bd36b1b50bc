import { Controller, Get, Header } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { DashboardSettings } from '../dashboard-settings.js';

/** Serves the OpenAPI document of the dashboard's calls. (The API serves its own at `/openapi.json`.) */
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
