import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { crc32 } from 'node:zlib';
import { Busboy } from '@fastify/busboy';
import { Controller, Module, Req, Res } from '@nestjs/common';
import { DataStore, Server, Upload } from '@tus/server';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  FILES_SAMPLE,
  JOB_RESULTS,
  Serves,
  UPLOAD_APPEND,
  UPLOAD_CREATE,
  UPLOAD_REMOVE,
  UPLOAD_STATE,
} from '#libs/contracts';
import {
  AccountId,
  Logger,
  Problem,
  type RunningService,
  ServiceModule,
  SystemClock,
  newId,
  sendFile,
  startService,
} from '#libs/platform';
import { HARNESS_SECRET } from '../stand-ins/harness-secret.js';

const PIECE = Buffer.from(Array.from({ length: 65_536 }, (_, place) => (place * 31) & 255));

/** Generates the bytes of an endless file between two positions, both inclusive, in small pieces. */
export function* bytesOf(start: number, end: number): Generator<Buffer> {
  for (let at = start; at <= end;) {
    const from = at % PIECE.length;
    const piece = PIECE.subarray(from, Math.min(PIECE.length, from + end - at + 1));
    yield piece;
    at += piece.length;
  }
}

export interface Stored {
  sizeBytes: number;
  crc32: number;
}

async function count(stored: Stored, source: Readable): Promise<void> {
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      stored.sizeBytes += chunk.length;
      stored.crc32 = crc32(chunk, stored.crc32);
      done();
    },
  });
  await pipeline(source, sink);
}

class CountingStore extends DataStore {
  readonly uploads = new Map<string, Stored & { upload: Upload }>();

  constructor() {
    super();
    this.extensions = ['creation', 'creation-with-upload', 'termination'];
  }

  override create(upload: Upload): Promise<Upload> {
    this.uploads.set(upload.id, { upload, sizeBytes: 0, crc32: 0 });
    return Promise.resolve(upload);
  }

  override async write(source: Readable, id: string): Promise<number> {
    const stored = this.uploads.get(id)!;
    // Bytes that arrived before a client disconnected are kept.
    await count(stored, source).catch(() => {});
    return stored.sizeBytes;
  }

  override getUpload(id: string): Promise<Upload> {
    const stored = this.uploads.get(id);
    if (!stored) return Promise.reject(Object.assign(new Error(), { status_code: 404, body: '' }));
    const { upload, sizeBytes } = stored;
    return Promise.resolve(new Upload({ ...upload, size: upload.size, offset: sizeBytes }));
  }

  override remove(id: string): Promise<void> {
    this.uploads.delete(id);
    return Promise.resolve();
  }
}

export class OwnerState {
  readonly store = new CountingStore();
  readonly accounts: string[] = [];
  brokenOff = 0;
  fileBytes = 1024 ** 3;
  readBytes = 0;
  /** If set, the next uploads are refused with this problem before any of their bytes is read. */
  refusal?: Problem;
  redirectTo?: string;
  serve?: (reply: FastifyReply) => void;

  forget(): void {
    this.accounts.length = this.brokenOff = this.readBytes = 0;
    this.fileBytes = 1024 ** 3;
    this.refusal = this.redirectTo = this.serve = undefined;
  }
}

@Controller()
class TransfersController {
  private readonly tus: Server;

  constructor(private readonly state: OwnerState) {
    this.tus = new Server({
      path: UPLOAD_CREATE.owner.path,
      datastore: state.store,
      relativeLocation: true,
      namingFunction: () => newId(),
      getFileIdFromRequest: ({ url }) => new URL(url).pathname.split('/').pop(),
    });
  }

  @Serves(UPLOAD_CREATE)
  async create(
    @AccountId() accountId: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.state.accounts.push(accountId);
    this.watch(request, reply);
    if (this.state.refusal) throw this.state.refusal;
    if (request.headers['tus-resumable'] !== undefined) return this.speakTus(request, reply);
    const stored = { sizeBytes: 0, crc32: 0 };
    const form = new Busboy({ headers: { 'content-type': request.headers['content-type']! } });
    const counts: Promise<void>[] = [];
    form.on('file', (_field, file) => counts.push(count(stored, file)));
    await pipeline(request.raw, form);
    await Promise.all(counts);
    void reply.send({ size_bytes: stored.sizeBytes, crc32: stored.crc32 });
  }

  @Serves(UPLOAD_STATE)
  stateOf(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.speakTus(request, reply);
  }

  @Serves(UPLOAD_APPEND)
  append(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    this.watch(request, reply);
    if (this.state.refusal) throw this.state.refusal;
    return this.speakTus(request, reply);
  }

  @Serves(UPLOAD_REMOVE)
  remove(@Req() request: FastifyRequest, @Res() reply: FastifyReply) {
    return this.speakTus(request, reply);
  }

  @Serves(JOB_RESULTS)
  async file(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { state } = this;
    this.watch(request, reply);
    if (state.serve) return state.serve(reply);
    if (state.redirectTo !== undefined) return void reply.redirect(state.redirectTo, 302);
    await sendFile(request, reply, {
      sizeBytes: state.fileBytes,
      type: 'application/gzip',
      name: 'large.csv.gz',
      tag: 'v1',
      modifiedAt: new Date('2026-11-20T04:00:00Z'),
      open: ({ start, end } = { start: 0, end: state.fileBytes - 1 }) =>
        Readable.from(this.counted(bytesOf(start, end)), { objectMode: false }),
    });
  }

  @Serves(FILES_SAMPLE)
  sample(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.file(request, reply);
  }

  private *counted(pieces: Iterable<Buffer>): Generator<Buffer> {
    for (const piece of pieces) {
      this.state.readBytes += piece.length;
      yield piece;
    }
  }

  private watch({ raw }: FastifyRequest, reply: FastifyReply): void {
    reply.raw.once('close', () => {
      if (!raw.complete || !reply.raw.writableFinished) this.state.brokenOff++;
    });
  }

  private async speakTus({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
    void reply.hijack();
    await this.tus.handle(raw, reply.raw);
  }
}

export class TransferOwner {
  readonly state = new OwnerState();
  private service: RunningService;

  get url(): string {
    return this.service.url;
  }

  async start(): Promise<void> {
    const logger = new Logger(
      'worker',
      new Writable({ write: (_chunk, _encoding, done) => done() }),
    );
    const secret = { serviceSecret: HARNESS_SECRET };
    const imports = [
      ServiceModule.register({ name: 'worker', clock: new SystemClock(), logger, secret }),
    ];
    const providers = [{ provide: OwnerState, useValue: this.state }];
    @Module({ imports, controllers: [TransfersController], providers })
    class OwnerModule {}
    const options = { module: OwnerModule, logger, host: '127.0.0.1', port: 0 };
    this.service = await startService({ ...options, takesUploads: true });
  }

  async stop(): Promise<void> {
    await this.service?.stop();
  }
}
