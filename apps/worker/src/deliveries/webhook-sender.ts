import { readFileSync } from 'node:fs';
import { Agent, type buildConnector, request } from 'undici';
import { ConnectionError, SafeConnector, parseUpstreamExceptions } from '#libs/resolvers';
import type { WorkerConfig } from '../worker.config.js';
import { BODY_MS, CONNECT_MS, type FaultWord, type TryOutcome, WHOLE_MS } from './try-outcome.js';

const ANSWER_BYTES_MAX = 16_384;
/**
 * The maximum number of bytes that are read. All bytes count, because a receiver could send endless
 * informational answers or an endless line.
 */
const READ_BYTES_MAX = 256 * 1024;

type Target = buildConnector.Options;

/**
 * Sends events to URLs that customers chose: only over https on port 443, to public hosts and the configured
 * exceptions, and without following redirects.
 */
export class WebhookSender {
  private readonly agent: Agent;

  constructor(
    config: Pick<WorkerConfig, 'webhookExceptions' | 'extraCaFile'>,
    private readonly wholeMs = WHOLE_MS,
  ) {
    const { webhookExceptions, extraCaFile } = config;
    const connector = new SafeConnector({
      exceptions: parseUpstreamExceptions(webhookExceptions),
      extraCaPem: extraCaFile === undefined ? undefined : readFileSync(extraCaFile, 'utf8'),
    });
    const open = async ({ hostname, port }: Target, callback: buildConnector.Callback) => {
      try {
        const number = port === '' ? 443 : Number(port);
        const limits = { timeoutMs: CONNECT_MS, answerBytesMax: READ_BYTES_MAX };
        callback(null, await connector.safeConnect(hostname, number, 'webhook', limits));
      } catch (error) {
        callback(ConnectionError.from(error), null);
      }
    };
    this.agent = new Agent({ connect: (target, callback) => void open(target, callback) });
  }

  /**
   * Sends an event once. A failure of the receiver or the network is a result, not a rejection; an abort by `signal`
   * gives the fault `answer_timeout`.
   */
  async send(
    url: string,
    {
      headers,
      body,
      signal,
    }: { headers: Record<string, string>; body: string; signal: AbortSignal },
  ): Promise<TryOutcome> {
    const ended = AbortSignal.any([signal, AbortSignal.timeout(this.wholeMs)]);
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: this.agent,
        headers: { 'content-type': 'application/json', 'user-agent': 'domain-data', ...headers },
        body,
        signal: ended,
        reset: true,
      });
      const { statusCode: responseStatus } = answer;
      // Only the status of the answer matters. The rest is read because some receivers stop working if they cannot send
      // it.
      const brief = AbortSignal.any([ended, AbortSignal.timeout(BODY_MS)]);
      await answer.body.dump({ limit: ANSWER_BYTES_MAX, signal: brief }).catch(() => {});
      if (responseStatus >= 200 && responseStatus < 300) return { responseStatus };
      return { responseStatus, fault: `http_${responseStatus}` };
    } catch (error) {
      return { fault: ended.aborted ? 'answer_timeout' : toldFault(ConnectionError.from(error)) };
    }
  }

  async close(): Promise<void> {
    await this.agent.destroy();
  }
}

/**
 * Returns the reason that the owner sees. A name that does not resolve and a name that resolves to an internal address
 * get the same word; otherwise, webhooks could reveal the operator's hosts.
 */
function toldFault({ fault }: ConnectionError): FaultWord {
  return fault === 'unresolved' || fault === 'blocked_address' ? 'no_public_address' : fault;
}
