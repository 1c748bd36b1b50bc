import { Injectable } from '@nestjs/common';
import { ERRORS, Server } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { UPLOAD_BYTES_MAX } from '#libs/contracts';
import { FileStore } from '#libs/files';
import { Logger, PayloadTooLarge, newId } from '#libs/platform';
import { checkTusHeaders, isKnownVersion } from './tus-headers.js';
import { UploadFormsService } from './upload-forms.service.js';
import { UploadLock } from './upload-lock.js';
import { UploadLocksRepository } from './upload-locks.repository.js';
import { UploadStore } from './upload-store.js';
import { UploadsService } from './uploads.service.js';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const TOO_MUCH = {
  status_code: 413,
  body: JSON.stringify(
    new PayloadTooLarge('The body is longer than what remains of Upload-Length.').toBody(),
  ),
};

export interface IncomingUpload {
  accountId: string;
  /** The path at this service, without an id. */
  path: string;
  request: FastifyRequest;
  reply: FastifyReply;
}

@Injectable()
export class IncomingUploadsService {
  constructor(
    private readonly uploads: UploadsService,
    private readonly forms: UploadFormsService,
    private readonly locks: UploadLocksRepository,
    private readonly files: FileStore,
    private readonly logger: Logger,
  ) {}

  async create(incoming: IncomingUpload): Promise<void> {
    const { accountId, request, reply } = incoming;
    const { headers, raw } = request;
    if (headers['tus-resumable'] !== undefined) return this.speakTus(incoming);
    try {
      const answer = await this.forms.take(accountId, raw, headers['content-type'] ?? '');
      void reply.send(answer);
    } catch (error) {
      // The rest of the body is not read.
      if (!raw.complete || raw.readableLength > 0) void reply.header('connection', 'close');
      throw error;
    }
  }

  /** Removes an upload, by tus or by an ordinary call. @throws NotFound, UploadInUse; the errors of `speakTus`. */
  async remove(incoming: IncomingUpload & { id: string }): Promise<void> {
    const { accountId, id, request, reply } = incoming;
    if (request.headers['tus-resumable'] !== undefined) return this.speakTus(incoming);
    await this.uploads.remove(accountId, id);
    void reply.code(204).send();
  }

  /**
   * Answers a request in the protocol tus 1.0.0 (https://tus.io/protocols/resumable-upload); the answer to another
   * version is 412.
   * @param incoming with the id of the upload, unless the request creates one. @throws NotFound, InvalidRequest.
   */
  async speakTus(incoming: IncomingUpload & { id?: string }): Promise<void> {
    const { accountId, id, path, request, reply } = incoming;
    const { uploads, locks, files, logger } = this;
    if (!isKnownVersion(request.headers)) return void reply.code(412).send();
    checkTusHeaders(request.method, request.headers);
    // The owner is checked here, because tus checks after it takes the lock, which would end the running request of the
    // upload's real owner.
    if (id !== undefined) await uploads.find(accountId, id);
    const tus = new Server({
      path,
      datastore: new UploadStore(accountId, uploads, files),
      locker: { newLock: (id) => new UploadLock(locks, id, logger) },
      maxSize: UPLOAD_BYTES_MAX,
      relativeLocation: true,
      namingFunction: () => newId(),
      getFileIdFromRequest: ({ url }) => {
        const id = new URL(url).pathname.split('/').pop() ?? '';
        return UUID.test(id) ? id : undefined;
      },
      onResponseError: (_request, error) =>
        error === ERRORS.ERR_SIZE_EXCEEDED ? TOO_MUCH : undefined,
    });
    void reply.hijack();
    await tus.handle(request.raw, reply.raw);
  }
}
