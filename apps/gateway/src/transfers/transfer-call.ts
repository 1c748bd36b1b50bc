import type { IncomingMessage } from 'node:http';
import type { TransferCall } from '#libs/public-http';
import type { ApiResponse } from '../context/api-response.js';
import type { RequestContext } from '../context/request-context.js';
import { answerLines } from '../answers/answer-lines.js';

/**
 * Describes an upload or a download for its owner, once its sender is known and its parameters are read. @param reached
 * the owner's connections and headers.
 */
export function transferCall(
  context: RequestContext,
  reached: Pick<TransferCall, 'dispatcher' | 'headers' | 'answerTimeoutMs'>,
): Omit<TransferCall, 'idleTimeoutMs'> {
  // A plain connection hands transfers over, so this is Node's own request.
  const request = context.request as IncomingMessage;
  const response = context.reply as ApiResponse;
  return {
    ...reached,
    operation: context.route.operation,
    publicPath: request.url!.split('?', 1)[0],
    request,
    response,
    path: context.question,
    answerHeaders: pairs(answerLines(context, 0, undefined)),
    invite: () => response.invite(),
  };
}

function pairs(lines: string): string[] {
  return lines
    .trimEnd()
    .split('\r\n')
    .flatMap((line) => {
      const colon = line.indexOf(': ');
      return [line.slice(0, colon), line.slice(colon + 2)];
    });
}
