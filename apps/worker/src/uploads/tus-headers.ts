import type { IncomingHttpHeaders } from 'node:http';
import { Metadata, TUS_RESUMABLE } from '@tus/server';
import { UPLOAD_BYTES_MAX } from '#libs/contracts';
import { type FieldError, InvalidRequest } from '#libs/platform';

const COUNT = /^(0|[1-9]\d{0,14})$/;

export const isKnownVersion = (headers: IncomingHttpHeaders) =>
  headers['tus-resumable'] === TUS_RESUMABLE;

/**
 * Checks the headers of a tus 1.0.0 request before the tus library does, because the library does not say which header
 * is wrong. @throws InvalidRequest naming the wrong headers.
 */
export function checkTusHeaders(method: string, headers: IncomingHttpHeaders): void {
  const faults: FieldError[] = [];
  if (method === 'PATCH' && !isCount(headers['upload-offset'])) {
    faults.push(
      fault('Upload-Offset', 'must be the number of bytes that are stored; use HEAD to get it'),
    );
  }
  if (method === 'POST' && !isCount(headers['upload-length'])) {
    const message = `must be the size of the file in bytes, up to ${UPLOAD_BYTES_MAX}`;
    faults.push(fault('Upload-Length', message));
  }
  if (method === 'POST' && headers['upload-concat'] !== undefined) {
    const message =
      'is not supported; send the file as one upload, with its pieces one after another';
    faults.push(fault('Upload-Concat', message));
  }
  if (headers['upload-defer-length'] !== undefined) {
    faults.push(fault('Upload-Defer-Length', 'is not supported; send Upload-Length'));
  }
  if (!isMetadata(headers['upload-metadata'])) {
    const message = 'must be pairs separated by commas, each a key, a space and a value in Base64';
    faults.push(fault('Upload-Metadata', message));
  }
  if (faults.length > 0) throw new InvalidRequest(faults);
}

function isMetadata(value: string | string[] | undefined): boolean {
  if (value === undefined || value === '') return true;
  try {
    Metadata.parse(String(value));
    return true;
  } catch {
    return false;
  }
}

const isCount = (value: string | string[] | undefined) => COUNT.test(String(value));
const fault = (field: string, message: string): FieldError => ({ field, message });
