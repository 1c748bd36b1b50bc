import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  UPLOAD,
  UPLOADS,
  UPLOAD_APPEND,
  UPLOAD_CREATE,
  UPLOAD_REMOVE,
  UPLOAD_STATE,
  Pages,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { IncomingUploadsService } from './incoming-uploads.service.js';
import { UploadsService } from './uploads.service.js';

const { path } = UPLOAD_CREATE.owner;

@Controller()
export class UploadsController {
  constructor(
    private readonly incoming: IncomingUploadsService,
    private readonly uploads: UploadsService,
    private readonly pages: Pages,
  ) {}

  @Serves(UPLOAD_CREATE)
  create(
    @AccountId() accountId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.incoming.create({ accountId, path, request, reply });
  }

  @Serves(UPLOAD_STATE)
  state(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.incoming.speakTus({ accountId, id, path, request, reply });
  }

  @Serves(UPLOAD_APPEND)
  append(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.incoming.speakTus({ accountId, id, path, request, reply });
  }

  @Serves(UPLOAD_REMOVE)
  remove(
    @AccountId() accountId: string,
    @Param('id') id: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.incoming.remove({ accountId, id, path, request, reply });
  }

  @Serves(UPLOADS)
  list(@AccountId() accountId: string, @Question(UPLOADS) question: QuestionOf<typeof UPLOADS>) {
    return this.uploads.list(accountId, this.pages.asked(UPLOADS, question));
  }

  @Serves(UPLOAD)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.uploads.get(accountId, id);
  }
}
