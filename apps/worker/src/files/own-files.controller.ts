import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OWN_FILE, OWN_FILES, Pages, Question, type QuestionOf, Serves } from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { DownloadsService } from './downloads.service.js';
import { answerWith } from './files.controller.js';
import { FilesService } from './files.service.js';

/** Database files, at the dashboard. */
@Controller()
export class OwnFilesController {
  constructor(
    private readonly files: FilesService,
    private readonly downloads: DownloadsService,
    private readonly pages: Pages,
  ) {}

  @Serves(OWN_FILES)
  list(
    @AccountId() accountId: string,
    @Question(OWN_FILES) question: QuestionOf<typeof OWN_FILES>,
  ) {
    return this.files.list(accountId, question, this.pages.asked(OWN_FILES, question));
  }

  @Serves(OWN_FILE)
  async download(
    @AccountId() accountId: string,
    @Question(OWN_FILE) question: QuestionOf<typeof OWN_FILE>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await answerWith(await this.downloads.open(accountId, question), request, reply);
  }
}
