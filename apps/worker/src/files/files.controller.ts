import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  FILE,
  FILES,
  FILES_SAMPLE,
  FILES_STATUS,
  Pages,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId, sendFile } from '#libs/platform';
import { DownloadsService } from './downloads.service.js';
import { FilesService } from './files.service.js';

@Controller()
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly downloads: DownloadsService,
    private readonly pages: Pages,
  ) {}

  @Serves(FILES)
  list(@AccountId() accountId: string, @Question(FILES) question: QuestionOf<typeof FILES>) {
    return this.files.list(accountId, question, this.pages.asked(FILES, question));
  }

  @Serves(FILE)
  async download(
    @AccountId() accountId: string,
    @Question(FILE) question: QuestionOf<typeof FILE>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    await sendFile(request, reply, await this.downloads.open(accountId, question));
  }

  @Serves(FILES_STATUS)
  status() {
    return this.files.status();
  }

  @Serves(FILES_SAMPLE)
  async sample(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    await sendFile(request, reply, await this.downloads.sample());
  }
}
