import { Controller, Get, Header } from '@nestjs/common';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { ICON, ICON_TYPE } from '#libs/public-http';
import { PAGE_SCRIPT } from './page-script.js';
import { STYLESHEET } from './stylesheet.js';

/** What pages load. */
@Controller()
@AllowVisitors('anyone')
export class AssetsController {
  @Get('assets/dashboard.css')
  @Header('content-type', 'text/css; charset=utf-8')
  stylesheet() {
    return STYLESHEET;
  }

  @Get('assets/dashboard.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script() {
    return PAGE_SCRIPT;
  }

  /** Browsers ask for the second one beside what is no page of ours, such as a refusal in JSON. */
  @Get(['assets/icon.svg', 'favicon.ico'])
  @Header('content-type', ICON_TYPE)
  icon() {
    return ICON;
  }
}
