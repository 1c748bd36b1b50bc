import { Controller, Get, Header } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { PAGE_SCRIPT } from './page-script.js';
import { STYLESHEET } from './stylesheet.js';

/** What pages load. */
@Controller('assets')
@AllowVisitors('anyone')
export class AssetsController {
  @Get('dashboard.css')
  @Header('content-type', 'text/css; charset=utf-8')
  stylesheet() {
    return STYLESHEET;
  }

  @Get('dashboard.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script() {
    return PAGE_SCRIPT;
  }
}
