import type { Socket } from 'node:net';
import type { RequestContext } from './request-context.js';

/** The newest context on a socket; it links to older ones if the client pipelines requests. */
const NEWEST = Symbol('newest context');

interface ApiSocket extends Socket {
  /**
   * The newest context; null when all requests are over, so that answered contexts are not kept until the next request.
   */
  [NEWEST]?: RequestContext | null;
}

/** Whether a request on this socket is still unanswered. */
export function isAsking(socket: Socket): boolean {
  for (let one = (socket as ApiSocket)[NEWEST]; one; one = one.earlier) {
    if (!one.isOver) return true;
  }
  return false;
}

/** Uses one close listener per socket, not one per request. */
export function watchClient(
  context: RequestContext,
  onGone: (context: RequestContext) => void,
): void {
  const socket = context.request.socket as ApiSocket;
  const newest = socket[NEWEST];
  socket[NEWEST] = context;
  if (newest === null) return;
  if (newest !== undefined) {
    context.earlier = newest;
    // Answered contexts are released, wherever they are in the list.
    for (let last = context; last.earlier !== undefined;) {
      if (last.earlier.isOver) last.earlier = last.earlier.earlier;
      else last = last.earlier;
    }
    return;
  }
  socket.once('close', () => {
    for (let left = socket[NEWEST] ?? undefined; left !== undefined; left = left.earlier) {
      if (!left.isOver) onGone(left);
    }
  });
}

/**
 * Removes a context, so that an idle connection keeps none: with many connections, every young-generation collection
 * would have to copy the last context of each.
 */
export function forgetContext(context: RequestContext): void {
  const socket = context.request.socket as ApiSocket;
  if (socket[NEWEST] === context) socket[NEWEST] = context.earlier ?? null;
}
