import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import type { Clock } from '#libs/platform';
import { FileMissing, FilesUnavailable } from '../file-failures.js';
import {
  type AddressOptions,
  type ByteRange,
  type FileFacts,
  type FilePage,
  FileStore,
  type OpenFile,
  PAGE_MAX,
} from '../file-store.js';
import type { FilesConfig } from '../files.config.js';
import { readAhead } from '../read-ahead.js';
import { HeldParts } from './held-parts.js';
import { type S3Bucket, answered, s3Client } from './s3-bucket.js';
import { COPY_MAX_BYTES, PART_BYTES, PART_MIN_BYTES, S3Upload } from './s3-upload.js';

/** The number of short files that are read at the same time while files are joined, each with less than 5 MiB. */
const SHORT_FILES_AT_ONCE = 8;

/** The facts about an object in S3's answer. */
interface S3Facts {
  ContentLength?: number;
  Size?: number;
  ETag?: string;
  LastModified?: Date;
}

export class S3Store extends FileStore {
  private readonly held = new HeldParts();

  private constructor(
    private readonly bucket: S3Bucket,
    /** The client that signs URLs for customers; undefined if customers get none. */
    private readonly signer?: S3Client,
    private readonly isOfOthers = false,
  ) {
    super();
  }

  /** @param place `isOfOthers` for files that another party has written, under names of any form. */
  static async open(
    config: FilesConfig,
    place: { bucket: string; prefix: string; isOfOthers?: boolean },
    clock: Clock,
  ): Promise<S3Store> {
    const client = s3Client(config, clock);
    const signer = config.filesS3Redirects
      ? s3Client(config, clock, config.filesS3PublicEndpoint)
      : undefined;
    const { bucket: name, prefix, isOfOthers } = place;
    return new S3Store({ client, name, prefix }, signer, isOfOthers);
  }

  protected override checkKey(key: string): void {
    if (!this.isOfOthers) super.checkKey(key);
  }

  async check(): Promise<void> {
    const { client, name } = this.bucket;
    await client.send(new HeadBucketCommand({ Bucket: name }));
  }

  async close(): Promise<void> {
    this.bucket.client.destroy();
    this.signer?.destroy();
  }

  protected async put(
    key: string,
    content: AsyncIterable<Uint8Array>,
    ifAbsent: boolean,
  ): Promise<FileFacts> {
    return this.upload(key, ifAbsent, async (upload) => {
      const part = this.held.begin();
      let pieces: Uint8Array[] = [];
      try {
        for await (const piece of part.fill(content)) {
          pieces.push(piece);
          while (part.bytes >= PART_BYTES) {
            const held = Buffer.concat(pieces);
            await upload.add(held.subarray(0, PART_BYTES));
            // A copy, because a view would keep the whole part in memory.
            pieces = [Buffer.from(held.subarray(PART_BYTES))];
            part.sent(PART_BYTES);
          }
        }
        return Buffer.concat(pieces);
      } finally {
        part.end();
      }
    });
  }

  protected async find(key: string): Promise<FileFacts | undefined> {
    const command = new HeadObjectCommand(this.target(key));
    try {
      return factsOf(key, await answered(key, this.bucket.client.send(command)));
    } catch (error) {
      if (error instanceof FileMissing) return undefined;
      throw error;
    }
  }

  protected async open(facts: FileFacts, range: Required<ByteRange>): Promise<OpenFile> {
    const { key, etag, sizeBytes } = facts;
    const isWhole = range.first === 0 && range.last === sizeBytes - 1;
    const command = new GetObjectCommand({
      ...this.target(key),
      IfMatch: etag,
      Range: isWhole ? undefined : `bytes=${range.first}-${range.last}`,
    });
    const { Body } = await answered(key, this.bucket.client.send(command));
    return { facts, range, content: Body as Readable };
  }

  protected async page(prefix: string, limit: number, after?: string): Promise<FilePage> {
    const { client, name, prefix: root } = this.bucket;
    const command = new ListObjectsV2Command({
      Bucket: name,
      Prefix: root + prefix,
      MaxKeys: limit,
      StartAfter: after === undefined ? undefined : root + after,
    });
    const { Contents = [], IsTruncated = false } = await answered(prefix, client.send(command));
    const files = Contents.map((found) => factsOf((found.Key ?? '').slice(root.length), found));
    const next = IsTruncated ? files.at(-1)?.key : undefined;
    // Otherwise, the listing would never end if the server kept returning the same files.
    if (next !== undefined && after !== undefined && next <= after) {
      throw new FilesUnavailable(new Error('the bucket lists the same files again'));
    }
    return { files, next };
  }

  protected async removeFile(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.target(key));
    await answered(key, this.bucket.client.send(command));
  }

  protected async removeFolder(prefix: string): Promise<void> {
    let after: string | undefined;
    for (;;) {
      const { files, next } = await this.page(prefix, PAGE_MAX, after);
      if (files.length === 0) return;
      const { client, name } = this.bucket;
      const Objects = files.map(({ key }) => ({ Key: this.target(key).Key }));
      const command = new DeleteObjectsCommand({ Bucket: name, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await answered(prefix, client.send(command));
      if (Errors.length > 0) throw new FilesUnavailable(new Error(Errors[0].Message));
      if (next === undefined) return;
      after = next;
    }
  }

  /**
   * Joins files. Those long enough for a part are copied within S3; shorter files are read, several at a time, and
   * uploaded, joined with their neighbours.
   */
  protected async join(sources: readonly FileFacts[], target: string): Promise<FileFacts> {
    return this.upload(target, false, async (upload) => {
      let held: Buffer[] = [];
      let heldBytes = 0;
      const hold = async (bytes: Buffer) => {
        held.push(bytes);
        heldBytes += bytes.length;
        if (heldBytes < PART_MIN_BYTES) return;
        await upload.add(Buffer.concat(held));
        [held, heldBytes] = [[], 0];
      };
      let place = 0;
      const contents = readAhead(sources, SHORT_FILES_AT_ONCE, (one) => this.contentIfShort(one));
      for await (const content of contents) {
        const source = sources[place++];
        if (content) {
          await hold(content);
          continue;
        }
        let at = 0;
        const take = async (bytes: number) => {
          if (bytes > 0) await hold(await this.bytesOf(source, at, bytes));
          at += bytes;
        };
        if (heldBytes > 0) await take(PART_MIN_BYTES - heldBytes);
        while (source.sizeBytes - at >= PART_MIN_BYTES) {
          const end = Math.min(at + COPY_MAX_BYTES, source.sizeBytes);
          await upload.addCopy(source, at, end - 1);
          at = end;
        }
        await take(source.sizeBytes - at);
      }
      return Buffer.concat(held);
    });
  }

  protected async sign(key: string, options: AddressOptions): Promise<string | undefined> {
    if (!this.signer) return undefined;
    const command = new GetObjectCommand({
      ...this.target(key),
      ResponseContentType: options.contentType,
      ResponseContentDisposition: options.disposition,
    });
    return getSignedUrl(this.signer, command, { expiresIn: options.lifetimeSeconds });
  }

  /**
   * Uploads a file, and gives up the upload if a step fails.
   * @param send sends everything except the end of the file, and returns the end.
   */
  private async upload(
    key: string,
    ifAbsent: boolean,
    send: (upload: S3Upload) => Promise<Uint8Array>,
  ): Promise<FileFacts> {
    const upload = new S3Upload(this.bucket, key);
    try {
      await upload.finish(await send(upload), ifAbsent);
    } catch (error) {
      await upload.abandon();
      throw error;
    }
    const facts = await this.find(key);
    if (!facts) throw new FileMissing(key);
    return facts;
  }

  /** Returns the content of a file that is too short for a part; undefined for a longer file. */
  private async contentIfShort(facts: FileFacts): Promise<Buffer | undefined> {
    if (facts.sizeBytes >= PART_MIN_BYTES) return undefined;
    return facts.sizeBytes === 0 ? Buffer.alloc(0) : this.bytesOf(facts, 0, facts.sizeBytes);
  }

  private async bytesOf(facts: FileFacts, first: number, bytes: number): Promise<Buffer> {
    const { content } = await this.open(facts, { first, last: first + bytes - 1 });
    const pieces: Uint8Array[] = [];
    for await (const piece of content as AsyncIterable<Uint8Array>) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  private target(key: string) {
    return { Bucket: this.bucket.name, Key: this.bucket.prefix + key };
  }
}

function factsOf(key: string, { ContentLength, Size, ETag, LastModified }: S3Facts): FileFacts {
  return {
    key,
    sizeBytes: ContentLength ?? Size ?? 0,
    etag: ETag ?? '',
    modifiedAt: LastModified ?? new Date(0),
  };
}
