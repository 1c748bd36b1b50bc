import { Controller, Get, Header, Param } from '@nestjs/common';
import { NotFound } from '#libs/platform';
import { AllowVisitors } from '../browser/allow-visitors.js';
import { ICON, ICON_TYPE, STYLESHEET } from '#libs/public-http';
import { PAGE_SCRIPT } from './page-script.js';
import { PASSKEYS_SCRIPT } from './passkeys-script.js';
import { PLAYGROUND_SCRIPT } from './playground-script.js';
import { REQUESTS_SCRIPT } from './requests-script.js';
import { UPLOADS_SCRIPT } from './uploads-script.js';

const SCRIPTS: ReadonlyMap<string, string> = new Map([
  ['dashboard', PAGE_SCRIPT],
  ['passkeys', PASSKEYS_SCRIPT],
  ['playground', PLAYGROUND_SCRIPT],
  ['requests', REQUESTS_SCRIPT],
  ['uploads', UPLOADS_SCRIPT],
]);

@Controller()
@AllowVisitors('anyone')
export class AssetsController {
  @Get('assets/dashboard.css')
  @Header('content-type', 'text/css; charset=utf-8')
  stylesheet() {
    return STYLESHEET;
  }

  /** Serves the script of all pages, and the scripts of individual pages. @throws NotFound. */
  @Get('assets/:name.js')
  @Header('content-type', 'text/javascript; charset=utf-8')
  script(@Param('name') name: string) {
    const script = SCRIPTS.get(name);
    if (script === undefined) throw new NotFound();
    return script;
  }

  /**
   * Serves the icon. Browsers request the second path for documents that are not pages of the dashboard, such as a
   * rejection in JSON.
   */
  @Get(['assets/icon.svg', 'favicon.ico'])
  @Header('content-type', ICON_TYPE)
  icon() {
    return ICON;
  }
}
