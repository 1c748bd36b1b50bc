import type { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import { type Operation, type OperationKind, kindOf } from '#libs/contracts';
import {
  NotFound,
  PROBLEM_CODE_HEADER,
  PayloadTooLarge,
  type Problem,
  ServiceUnavailable,
  UnsupportedMediaType,
} from '#libs/platform';
import { ownersProblem } from '../owners-problem.js';
import {
  RangeNotSatisfiable,
  TusVersionNotSupported,
  UploadGone,
  UploadLocked,
  UploadOffsetMismatch,
  UploadRefused,
} from './transfers.errors.js';
import { TransferRefusal } from './transfer.js';

/** The problem for each status that an owner sends without a problem document, because it uses tus or serves files. */
const BARE_REFUSALS: Readonly<Record<OperationKind, Readonly<Record<number, Problem>>>> = {
  answer: {},
  upload: {
    400: new UploadRefused(),
    404: new NotFound('There is no such upload.'),
    409: new UploadOffsetMismatch(),
    410: new UploadGone(),
    412: new TusVersionNotSupported(),
    413: new PayloadTooLarge(),
    415: new UnsupportedMediaType(
      'This content type is not supported. The documentation of this address lists the supported ones.',
    ),
    423: new UploadLocked(),
  },
  download: {
    404: new NotFound('There is no such file.'),
    416: new RangeNotSatisfiable(),
  },
};
const REFUSAL_MAX_BYTES = 64 * 1024;
/** The headers that a client needs to continue after a refusal. */
const PASSED_ON = ['content-range', 'tus-resumable', 'tus-version', 'upload-offset'];
const PASSABLE = /^[\x20-\x7e]{1,200}$/;

/** Reads the text of a short answer, one character per byte. @throws Error if it is too long. */
export async function shortText(body: Readable, maxBytes = REFUSAL_MAX_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new Error(`the answer has more than ${maxBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('latin1');
}

/**
 * Returns an owner's refusal with the headers that the client gets: its problem document or, without one, the problem
 * that the status implies, or else ServiceUnavailable. @throws Error if the answer has more than 64 KiB.
 */
export async function refusalOf(
  row: Operation,
  { statusCode: status, headers, body }: Dispatcher.ResponseData,
): Promise<TransferRefusal> {
  const { service } = row.owner;
  const text = (await shortText(body)) || headProblem(headers, status);
  const passed = PASSED_ON.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' && PASSABLE.test(value) ? [name, value] : [];
  });
  const problem = ownersProblem(text, status) ?? BARE_REFUSALS[kindOf(row)][status];
  return new TransferRefusal(problem ?? new ServiceUnavailable(service), passed);
}

/** Returns, as JSON, the problem of an owner's refusal of HEAD. The headers name it, because the answer has no body. */
function headProblem(headers: Dispatcher.ResponseData['headers'], status: number): string {
  const { [PROBLEM_CODE_HEADER]: code, 'retry-after': seconds } = headers;
  const wait = seconds === undefined ? undefined : Number(seconds);
  return JSON.stringify({ code, status, detail: '', retry_after: wait });
}
