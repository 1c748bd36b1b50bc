import { Controller, Param, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  OWN_UPLOAD,
  OWN_UPLOADS,
  OWN_UPLOAD_APPEND,
  OWN_UPLOAD_CREATE,
  OWN_UPLOAD_REMOVE,
  OWN_UPLOAD_STATE,
  Pages,
  Question,
  type QuestionOf,
  Serves,
} from '#libs/contracts';
import { AccountId } from '#libs/platform';
import { UploadDoorService } from './upload-door.service.js';
import { UploadsService } from './uploads.service.js';

const { path } = OWN_UPLOAD_CREATE.owner;

/** Files of names, for their owner at the dashboard. */
@Controller()
export class OwnUploadsController {
  constructor(
    private readonly door: UploadDoorService,
    private readonly uploads: UploadsService,
    private readonly pages: Pages,
  ) {}

  @Serves(OWN_UPLOAD_CREATE)
  create(
    @AccountId() accountId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.door.create({ accountId, path, request, reply });
  }

  @Serves(OWN_UPLOAD_STATE)
  state(
    @AccountId() accountId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.door.speakTus({ accountId, path, request, reply });
  }

  @Serves(OWN_UPLOAD_APPEND)
  append(
    @AccountId() accountId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.door.speakTus({ accountId, path, request, reply });
  }

  @Serves(OWN_UPLOAD_REMOVE)
  remove(
    @AccountId() accountId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ) {
    return this.door.speakTus({ accountId, path, request, reply });
  }

  @Serves(OWN_UPLOADS)
  list(
    @AccountId() accountId: string,
    @Question(OWN_UPLOADS) question: QuestionOf<typeof OWN_UPLOADS>,
  ) {
    return this.uploads.list(accountId, this.pages.asked(OWN_UPLOADS, question));
  }

  @Serves(OWN_UPLOAD)
  get(@AccountId() accountId: string, @Param('id') id: string) {
    return this.uploads.get(accountId, id);
  }
}
