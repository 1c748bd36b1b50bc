import type { Dispatcher } from 'undici';
import type { UploadType } from '#libs/contracts';
import { PayloadTooLarge, Problem, UnsupportedMediaType } from '#libs/platform';
import { AnswerTimeout, RequestTimeout } from '../refusals.errors.js';
import { MeteredBody } from './metered-body.js';
import { ReadingFloor } from './reading-floor.js';
import { refusalOf, shortText } from './refusal-of.js';
import { askedHeaders, publicLocation, tusHeaders } from './transfer-headers.js';
import { Transfer, type TransferCall, type TransferEnd, TransferRefusal } from './transfer.js';

const ANSWER_MAX_BYTES = 256 * 1024;
const JSON_TYPE = 'application/json; charset=utf-8';

export class Upload extends Transfer {
  private readonly floor = new ReadingFloor();
  private body?: MeteredBody;

  protected get movedBytes(): number {
    return this.body?.sizeBytes ?? 0;
  }

  /**
   * Stops the upload if the client is silent for too long or too slow, or if the owner reads nothing or does not
   * answer.
   */
  look(nowMs: number): void {
    const { answerTimeoutMs, idleTimeoutMs } = this.call;
    const { body } = this;
    const { waitsFor = 'owner', movedMs = this.startedMs, writableEnded = true } = body ?? {};
    const isClientWaitedFor = waitsFor === 'client';
    // Otherwise, a client that sends an occasional byte could occupy one of the few places indefinitely (S104).
    const isSlow = this.floor.isBelow(nowMs, body?.sizeBytes ?? 0, isClientWaitedFor);
    const limitMs = writableEnded ? answerTimeoutMs : idleTimeoutMs;
    if (!isSlow && nowMs - movedMs <= limitMs) return;
    this.stop(isClientWaitedFor ? new RequestTimeout() : new AnswerTimeout());
  }

  protected async pass(): Promise<TransferEnd | TransferRefusal> {
    const { operation, request, invite } = this.call;
    const fault = bodyFault(this.call);
    if (fault) return new TransferRefusal(fault);
    const headers = askedHeaders(operation, request.headers);
    if (!hasBody(this.call)) {
      const { 'content-length': _none, ...others } = headers;
      return this.answer(await this.ask(others, null));
    }
    const body = (this.body = new MeteredBody(operation.upload!.limitBytes));
    // The reader receives the stream's errors; without this handler, an unread stream would end the process.
    body.on('error', () => {});
    invite();
    request.pipe(body);
    try {
      return await this.answer(await this.ask(headers, body));
    } catch (error) {
      if (body.errored instanceof Problem) return new TransferRefusal(body.errored);
      throw error;
    } finally {
      request.unpipe(body);
      body.destroy();
    }
  }

  private async answer(answer: Dispatcher.ResponseData): Promise<TransferEnd | TransferRefusal> {
    const { operation, publicPath, response } = this.call;
    const { statusCode: status, headers } = answer;
    if (status >= 400) return refusalOf(operation, answer);
    const text = await shortText(answer.body, ANSWER_MAX_BYTES);
    const { leadTo } = this.call;
    if (leadTo) {
      this.begin(303, ['Location', leadTo(text), 'Content-Length', '0']);
      response.end();
      return { status: 303, isWhole: true };
    }
    const said = tusHeaders(headers);
    if (typeof headers.location === 'string') {
      const location = publicLocation(operation, publicPath, headers.location);
      if (location === undefined)
        throw new Error('the owner names a location outside its own path');
      said.push('Location', location);
    }
    if (text !== '') said.push('Content-Type', JSON_TYPE);
    if (status !== 204) said.push('Content-Length', String(text.length));
    this.begin(status, said);
    response.end(text, 'latin1');
    return { status, isWhole: true };
  }
}

/** Whether a request has a body. Without `Transfer-Encoding` and `Content-Length` there is none (RFC 9112 §6.3). */
function hasBody({ request: { headers } }: TransferCall): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** Returns why an upload is rejected by its headers, before any of its body is read; undefined if it is accepted. */
function bodyFault(call: TransferCall): Problem | undefined {
  const { headers } = call.request;
  const { types, limitBytes, tus } = call.operation.upload!;
  const sizes = [headers['content-length'], ...(tus ? [headers['upload-length']] : [])];
  if (sizes.some((size) => Number(size ?? 0) > limitBytes)) {
    return new PayloadTooLarge(
      `An upload can have at most ${limitBytes} bytes. Split the file into several uploads.`,
    );
  }
  if (!hasBody(call)) return undefined;
  const type = headers['content-type']?.split(';', 1)[0].trim().toLowerCase();
  const isKnown = types.includes(type as UploadType) && headers['content-encoding'] === undefined;
  return isKnown
    ? undefined
    : new UnsupportedMediaType(`Send the body as ${types.join(' or as ')}.`);
}
