import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  type CompletedPart,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  UploadPartCommand,
  UploadPartCopyCommand,
} from '@aws-sdk/client-s3';
import type { FileFacts } from '../file-store.js';
import { type S3Bucket, answered, unlessThere } from './s3-bucket.js';

const MIB = 1024 * 1024;
/** The minimum size of a part in S3, except for the last part. */
export const PART_MIN_BYTES = 5 * MIB;
export const PART_BYTES = 8 * MIB;
/** The maximum number of bytes that one part copies. */
export const COPY_MAX_BYTES = 5 * 1024 * MIB;

/**
 * An upload to S3: a small file in one piece, and a larger file in parts. The file becomes visible when all parts are
 * uploaded.
 */
export class S3Upload {
  private readonly parts: CompletedPart[] = [];
  private uploadId?: string;
  private readonly target: { Bucket: string; Key: string };

  constructor(
    private readonly bucket: S3Bucket,
    private readonly key: string,
  ) {
    this.target = { Bucket: bucket.name, Key: bucket.prefix + key };
  }

  async add(bytes: Uint8Array): Promise<void> {
    const part = await this.nextPart();
    const command = new UploadPartCommand({ ...part, Body: bytes });
    const { ETag } = await answered(this.key, this.bucket.client.send(command));
    this.parts.push({ PartNumber: part.PartNumber, ETag });
  }

  /**
   * Copies bytes of another file within S3.
   * @throws FileChanged if that file has changed; FileMissing, FilesUnavailable.
   */
  async addCopy({ key, etag }: FileFacts, first: number, last: number): Promise<void> {
    const part = await this.nextPart();
    const { name, prefix, client } = this.bucket;
    const command = new UploadPartCopyCommand({
      ...part,
      CopySource: `${name}/${prefix}${key}`,
      CopySourceIfMatch: etag,
      CopySourceRange: `bytes=${first}-${last}`,
    });
    const { CopyPartResult } = await answered(key, client.send(command));
    this.parts.push({ PartNumber: part.PartNumber, ETag: CopyPartResult?.ETag });
  }

  /**
   * Uploads the rest, which may be empty, and makes the file visible. @throws FileExists if `ifAbsent` is set and there
   * is a file; FilesUnavailable.
   */
  async finish(rest: Uint8Array, ifAbsent: boolean): Promise<void> {
    const condition = ifAbsent ? { IfNoneMatch: '*' } : {};
    const { client } = this.bucket;
    if (this.uploadId === undefined) {
      const command = new PutObjectCommand({ ...this.target, ...condition, Body: rest });
      await unlessThere(this.key, client.send(command));
      return;
    }
    if (rest.length > 0) await this.add(rest);
    const command = new CompleteMultipartUploadCommand({
      ...this.target,
      ...condition,
      UploadId: this.uploadId,
      MultipartUpload: { Parts: this.parts },
    });
    await unlessThere(this.key, client.send(command));
    this.uploadId = undefined;
  }

  /** Discards the parts. If this fails, a lifecycle rule of the bucket removes them. */
  async abandon(): Promise<void> {
    if (this.uploadId === undefined) return;
    const command = new AbortMultipartUploadCommand({ ...this.target, UploadId: this.uploadId });
    await this.bucket.client.send(command).catch(() => {});
  }

  private async nextPart() {
    if (this.uploadId === undefined) {
      const command = new CreateMultipartUploadCommand(this.target);
      const { UploadId } = await answered(this.key, this.bucket.client.send(command));
      this.uploadId = UploadId;
    }
    return { ...this.target, UploadId: this.uploadId, PartNumber: this.parts.length + 1 };
  }
}
