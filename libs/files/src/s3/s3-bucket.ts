import { S3Client } from '@aws-sdk/client-s3';
import { type Clock, MINUTE_MS } from '#libs/platform';
import { FileChanged, FileExists, FileMissing, FilesUnavailable } from '../file-failures.js';
import type { FilesConfig } from '../files.config.js';

const CONNECT_LIMIT_MS = 5_000;
/** The maximum time without data on a connection. */
const SILENCE_LIMIT_MS = 60_000;
const TRIES_MAX = 3;
/**
 * The maximum number of connections. A download keeps its connection while its client reads; with the SDK's default,
 * 50, slow clients would block the rest.
 */
const CONNECTIONS_MAX = 2_000;
/**
 * The lifetime of credentials that are read from the settings. The SDK reads the credentials again 5 minutes before
 * their lifetime ends.
 */
const LOGIN_LIFETIME_MS = 10 * MINUTE_MS;

export interface S3Bucket {
  client: S3Client;
  name: string;
  /** The prefix of each key; empty, or ends with `/`. */
  prefix: string;
}

/** Creates a client. @param endpoint replaces the configured endpoint, for URLs that are given to customers. */
export function s3Client(config: FilesConfig, clock: Clock, endpoint?: string): S3Client {
  return new S3Client({
    region: config.filesS3Region,
    endpoint: endpoint ?? config.filesS3Endpoint,
    forcePathStyle: config.filesS3PathStyle,
    credentials: config.filesS3AccessKeyId ? async () => loginOf(config, clock) : undefined,
    maxAttempts: TRIES_MAX,
    // Some servers other than Amazon's do not support the checksums that the SDK would add.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: CONNECT_LIMIT_MS,
      socketTimeout: SILENCE_LIMIT_MS,
      httpAgent: { maxSockets: CONNECTIONS_MAX },
      httpsAgent: { maxSockets: CONNECTIONS_MAX },
    },
  });
}

/**
 * Returns the current access key. It expires, so that the SDK asks again: the file with the key may change while the
 * service runs.
 */
function loginOf(config: FilesConfig, clock: Clock) {
  return {
    accessKeyId: config.filesS3AccessKeyId as string,
    secretAccessKey: config.filesS3SecretAccessKey as string,
    expiration: new Date(clock.now().getTime() + LOGIN_LIFETIME_MS),
  };
}

/**
 * Waits for the server's answer about a key.
 * @throws FileMissing, FileChanged; FilesUnavailable for any other failure.
 */
export async function answered<T>(key: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
    const status = $metadata?.httpStatusCode;
    if (status === 404 && name !== 'NoSuchBucket') throw new FileMissing(key);
    if (status === 412) throw new FileChanged(key);
    throw new FilesUnavailable(error);
  }
}

/**
 * Waits for the answer to a write that must not replace a file; 409 means that another write is in progress. @throws
 * FileExists if there is a file; otherwise the errors of `answered`.
 */
export async function unlessThere<T>(key: string, answer: Promise<T>): Promise<T> {
  try {
    return await answered(key, answer);
  } catch (error) {
    const { cause } = error as { cause?: { $metadata?: { httpStatusCode?: number } } };
    const isTaken = error instanceof FileChanged || cause?.$metadata?.httpStatusCode === 409;
    throw isTaken ? new FileExists(key) : error;
  }
}
