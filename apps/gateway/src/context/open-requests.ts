import type { Socket } from 'node:net';
import type { RequestContext } from './request-context.js';

/** The property of a socket that holds its unanswered requests, as a linked list of contexts. */
const NEWEST = Symbol('newest context');

interface ApiSocket extends Socket {
  /**
   * The newest context, which links to older ones if the client pipelines requests. It is null once all requests are
   * over, so that idle sockets keep no answered context in memory.
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

/**
 * Calls `onGone` for each unanswered request when the client disconnects. One `close` listener serves all requests of a
 * socket.
 */
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
    // Answered contexts are removed from the list, wherever they are.
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
 * Removes a context, so that an idle connection keeps none. Otherwise, with many connections, every young-generation
 * collection would copy the last context of each connection.
 */
export function forgetContext(context: RequestContext): void {
  const socket = context.request.socket as ApiSocket;
  if (socket[NEWEST] === context) socket[NEWEST] = context.earlier ?? null;
}
