import { Controller, Get, Query } from '@nestjs/common';
import type { FilesAnswer } from '#libs/contracts';
import { AllowVisitors, OF_ACTIVE_ACCOUNTS } from '../browser/allow-visitors.js';
import { OptionalText } from '../pages/optional-text.js';
import { type PageVisit, faultNotice, isRefused } from '../pages/page-visit.js';
import { Visit } from '../pages/visit.js';
import { filesPage } from './files-page.js';

const PAGE_SIZE = 96;
const NOTHING = { files: [], paging: { next_cursor: null } } as unknown as FilesAnswer;

@Controller('files')
@AllowVisitors('logged-in', OF_ACTIVE_ACCOUNTS)
export class FilePagesController {
  @Get()
  async list(@Visit() visit: PageVisit, @Query('cursor', OptionalText) cursor: string) {
    const query = new URLSearchParams({ page_size: String(PAGE_SIZE), ...(cursor && { cursor }) });
    const answer = await visit.worker({ method: 'GET', path: `/files?${query}` });
    if (isRefused(answer)) {
      return visit.show(filesPage(visit.context, NOTHING, faultNotice(answer)), answer.status);
    }
    return visit.show(filesPage(visit.context, answer.body as FilesAnswer));
  }
}
